/** The shell's own commands, with arms that are real servers: who answers is seen in the answer. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../support/model-server.ts'
import { missing, openShell, ready, shells } from './scene.ts'

const needsBash = missing('bash')
const scene = test.skipIf(needsBash)
const why = needsBash ? ' (skipped: bash is not installed)' : ''

async function startArm(text: string) {
  const server = await startModelServer([{ text }], { repeatLast: true })
  onTestFinished(() => server.close())
  return server
}

async function openWithArms(presets: string, flags: readonly string[] = []) {
  const [small, large] = [await startArm('I am small.'), await startArm('I am large.')]
  const arm = (id: string, url: string): string =>
    `[arms.${id}]\nbase_url = "${url}"\nwindow = 8192\ntools = "native"\n`
  const config = `${arm('small', small.url)}\n${arm('large', large.url)}\n${presets}`
  const screen = await openShell('bash', {
    homeFiles: { '.config/covey/config.toml': config },
    argv: (words) => [...words.slice(0, words.indexOf('--model')), '--no-probe', ...flags],
  })
  await screen.prompt()
  return { screen, small, large }
}

scene(`:model lists who can answer and switches; :agent takes the one that was chosen${why}`, async () => {
  const { screen, large } = await openWithArms('')

  screen.enter(':model small')
  await screen.sees(/small answers\nready>$/)
  screen.enter(':model')
  await screen.sees(/^\* small\n(?:.*\n)*ready>$/m)
  expect(screen.shown()).toMatch(/^ {2}large$/m)
  screen.enter('? who are you')
  await screen.sees(/I am small\.\nready>$/)
  screen.enter(':model large')
  await screen.sees(/large answers\nready>$/)
  screen.enter('? who are you')
  await screen.sees(/I am large\.\nready>$/)
  const asked = large.requests.length
  screen.enter(':agent say who you are')
  await screen.until(
    'an answer of the agent',
    () => /I am large\.\n(?:.*\n)*ready>$/.test(screen.shown()) && large.requests.length > asked,
  )
  screen.enter(':model unknown')
  await screen.sees(/unknown[^]*\nready>$/)
})

scene(`:fast and :deep switch to the arms of the configuration${why}`, async () => {
  const { screen } = await openWithArms('[shell]\nfast = "small"\ndeep = "large"\n')

  screen.enter(':deep')
  await screen.sees(/large answers\nready>$/)
  screen.enter('? who are you')
  await screen.sees(/I am large\.\nready>$/)
  screen.enter(':fast')
  await screen.sees(/small answers\nready>$/)
  screen.enter('? who are you')
  await screen.sees(/I am small\.\nready>$/)
})

scene(
  `:deep switches also where --model opened one arm only, and :model lists the others${why}`,
  async () => {
    const { screen } = await openWithArms('[shell]\nfast = "gone"\ndeep = "large"\n', ['--model', 'small'])

    screen.enter('? who are you')
    await screen.sees(/I am small\.\nready>$/)
    screen.enter(':model')
    await screen.sees(/^ {2}large\n(?:.*\n)*ready>$/m)
    screen.enter(':deep')
    await screen.sees(/large answers\nready>$/)
    screen.enter('? who are you')
    await screen.sees(/I am large\.\nready>$/)
    screen.enter(':fast')
    await screen.sees(/:fast is set to "gone"[^]*covey config set shell\.\s*fast ARM[^]*\nready>$/)
    screen.enter(':model small')
    await screen.sees(/small answers\nready>$/)
  },
)

scene(`:deep without an arm in the configuration says how to choose one${why}`, async () => {
  const { screen } = await openWithArms('')

  screen.enter(':deep')

  await screen.sees(/covey config set shell\.deep ARM[^]*\nready>$/)
})

scene(`:fix asks about the last command that failed, with its output${why}`, async () => {
  const screen = await ready('bash', { replies: [{ text: 'It is not there.\n\nCMD: touch nowhere' }] })

  screen.enter(':fix')
  await screen.sees(/no command has failed[^]*\nready>$/)
  screen.enter('ls nowhere')
  await screen.sees(/ls: .*\nready>$/)
  screen.enter('echo fine')
  await screen.sees(/^fine\nready>$/m)
  screen.enter(':fix it may not be deleted')
  await screen.sees(/It is not there\.[^]*\nready> touch nowhere$/)

  const [asked = ''] = await screen.asked()
  expect(asked).toMatch(/ls: .*nowhere[^]*\$ ls nowhere\n\[exit 2\]\n\nit may not be deleted$/)
})

describe.skipIf(process.platform !== 'linux')('a shell that stops itself (skipped: needs /proc)', () => {
  test.each(shells.filter((shell) => !missing(shell)))('%s goes on with the next key', async (shell) => {
    const screen = await ready(shell)

    screen.enter(
      shell === 'fish' ? 'kill -STOP $fish_pid' : shell === 'bash' ? 'suspend -f' : 'kill -STOP $$',
    )
    await screen.presses('\r', /it goes on\n(?:.*\n)*ready>/)
    screen.enter('echo still" "there')

    await screen.sees(/^still there\nready>$/m)
  })
})
