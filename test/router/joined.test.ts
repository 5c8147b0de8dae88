/** The router as a person meets it: the whole program, real servers, real files. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { covey } from '../support/covey.ts'
import { type ModelServer, type ScriptedServerReply, startModelServer } from '../support/model-server.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

async function server(...script: readonly ScriptedServerReply[]): Promise<ModelServer> {
  const started = await startModelServer(script, { repeatLast: true })
  onTestFinished(() => started.close())
  return started
}

async function homeWith(config: string): Promise<NodeJS.ProcessEnv> {
  const env = await emptyHome()
  const folder = join(env['XDG_CONFIG_HOME'] ?? '', 'covey')
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'config.toml'),
    `[router]\ndiscover = false\nclassifier = "keywords"\n${config}`,
  )
  return env
}

const arm = (name: string, url: string, more: string): string =>
  `[arms.${name}]\nbase_url = "${url}"\nwindow = 16384\n${more}\n`

const eventsOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; [key: string]: unknown })

test('a busy arm is left for another one at once, and why says so in plain words', async () => {
  const busy = await server({ status: 429, body: { error: { message: 'slow down' } } })
  const good = await server({ text: 'It is 42.' })
  const env = await homeWith(
    arm('big', busy.url, 'parameters = 32') + arm('little', good.url, 'parameters = 7'),
  )
  const cwd = await tempProject({ 'a.txt': 'hello' })

  const run = await covey(['--json', 'Why does the build fail?'], { cwd, env })
  const why = await covey(['router', 'why'], { cwd, env })
  const again = await covey(['Explain a.txt'], { cwd, env })
  const stats = await covey(['router', 'stats'], { cwd, env })

  const routed = eventsOf(run.out).flatMap((event) => (event.type === 'routing' ? [event['arm']] : []))
  expect([run.code, again.code]).toEqual([0, 0])
  expect(routed).toEqual(['big', 'little'])
  expect(why.out).toContain('little')
  expect(why.out).toContain('debug')
  expect(again.out).toBe('It is 42.\n')
  // The busy one is remembered over the end of the process.
  expect(busy.requests).toHaveLength(1)
  expect(stats.out).toContain('little')
})

test('a run that got stuck is given to another arm, and the first one is remembered for it', async () => {
  const stuck = await server({ calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] })
  const able = await server({ text: 'It says hello.' })
  const env = await homeWith(
    arm('first', stuck.url, 'parameters = 7\nstrengths = ["explain"]') +
      arm('second', able.url, 'parameters = 8'),
  )
  const cwd = await tempProject({ 'a.txt': 'hello' })

  const run = await covey(['--json', 'Explain a.txt'], { cwd, env })

  const events = eventsOf(run.out)
  const end = events.at(-1)
  expect(events.flatMap((event) => (event.type === 'routing' ? [event['arm']] : []))).toEqual([
    'first',
    'second',
  ])
  expect(events.filter(({ type }) => type === 'correction')).toContainEqual(
    expect.objectContaining({ detector: 'repeated-call', remedy: 'next-arm' }),
  )
  expect(end).toMatchObject({ type: 'run-end', reason: 'answered', attribution: { escalation: 1 } })
})

test('nothing leaves the machine until it is allowed, whatever keys are there', async () => {
  const local = await server({ text: 'Here.' })
  const env = await homeWith(
    arm('near', local.url, 'parameters = 0.5') +
      `[arms.far]\nkind = "openai"\nmodel = "gpt"\napi_key = "k"\nbase_url = "http://192.0.2.1:9/v1"\nlocal = false\nwindow = 100000\nparameters = 500\nstrengths = ["debug", "explain"]\n`,
  )
  const cwd = await tempProject({ 'a.txt': 'hello' })

  const run = await covey(['Explain a.txt'], { cwd, env })
  const why = await covey(['router', 'why'], { cwd, env })

  expect(run).toMatchObject({ code: 0, out: 'Here.\n' })
  expect(why.out).toMatch(/far.*cloud/)
})

test('green tests after an edit are remembered in favour of the arm', async () => {
  const model = await server(
    { calls: [{ name: 'write_file', arguments: { path: 'b.txt', content: 'x' } }] },
    { calls: [{ name: 'run_command', arguments: { command: 'npm test' } }] },
    { text: 'Done.' },
  )
  const env = await homeWith(arm('one', model.url, '') + arm('two', model.url, 'enabled = false'))
  const cwd = await tempProject({ 'package.json': '{"scripts":{"test":"true"}}' })

  await covey(['--permission', 'bypass', 'Write b.txt and test it'], { cwd, env })
  const stats = await covey(['router', 'stats', '--json'], { cwd, env })

  const { tasks } = JSON.parse(stats.out) as { tasks: { arm: string; runs: number }[] }
  expect(tasks.filter(({ arm: id }) => id === 'one').map(({ runs }) => runs)).toEqual([1])
})
