import { expect, test } from 'vitest'
import { processesIn } from '../guard/with-sandbox.ts'
import { covey, coveyProcess } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'
import { eventually, until } from '../support/wait.ts'

const OBEYED = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/

test('what is wrong in a file of the project is reported without its escape codes', async () => {
  const cwd = await tempProject({
    'covey.toml': '"\\u001b[2J\\u009b31m" = 1\n',
    '.covey/config.toml': '"\\u001b[2J\\u009b31m" = 1\n',
  })
  const env = await emptyHome()

  const run = await covey(['--profile', '\u001B[2J', 'Hello'], { cwd, env })
  const doctor = await covey(['doctor'], { cwd, env })
  const show = await covey(['sessions', 'show', '\u001B]0;title\u0007'], { cwd, env })

  expect([run.code, show.code]).toEqual([2, 2])
  for (const { out, err } of [run, doctor, show]) expect(out + err).not.toMatch(OBEYED)
})

test.skipIf(process.platform !== 'linux')(
  'a terminal that goes away takes the commands with it',
  async () => {
    const lines = [{ calls: [{ name: 'run_command', input: { command: 'sleep 300' } }] }, { text: 'Done.' }]
    const cwd = await tempProject({ 'play.jsonl': lines.map((line) => JSON.stringify(line)).join('\n') })
    const env = await emptyHome()
    const args = ['run', '--json', '--permission', 'bypass', '-m', 'scripted:play.jsonl', 'Sleep.']

    await coveyProcess(args, {
      cwd,
      env,
      onOut: (text, kill) => {
        if (!text.includes('"tool-start"')) return
        // The program itself, the shell, and perhaps what it started.
        void until(async () => (await processesIn(cwd)) > 1).then(() => kill('SIGHUP'))
      },
    })

    await eventually(async () => expect(await processesIn(cwd)).toBe(0))
  },
)
