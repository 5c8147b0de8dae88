/** `covey models probe` and `show` for an arm, on a fake server. */
import { expect, test } from 'vitest'
import type { CommandContext } from '../../../src/cli/command.ts'
import type { ProbeArm } from '../../../src/cli/models/probe.ts'
import { createModelsCommand } from '../../../src/cli/models.ts'
import { capabilitiesOf } from '../../../src/provider/arm-models.ts'
import { probeArm } from '../../../src/provider/probe/run.ts'
import { startLlamaCpp } from '../../support/model-server/llama-cpp.ts'
import { tempProject } from '../../support/project.ts'

const probe: ProbeArm = async ({ HOME }, { settings, depth }, signal) => {
  const report = await probeArm(settings, { depth, cache: `${HOME}/probed.json`, signal })
  return { ...report, settings, capabilities: capabilitiesOf(settings, report) }
}

async function models(home: string, args: readonly string[], options: Record<string, unknown> = {}) {
  let out = ''
  const context: CommandContext = {
    args,
    options,
    env: { HOME: home },
    cwd: home,
    signal: new AbortController().signal,
    io: {
      out: (text) => void (out += text),
      err: () => {},
      stdin: process.stdin,
      piped: async () => undefined,
      isTty: false,
    },
  }
  const code = await createModelsCommand({ probe }).run(context)
  return { code, out }
}

const homeWith = (url: string): Promise<string> =>
  tempProject({
    '.config/covey/config.toml': `[arms.mine]\nbase_url = "${url}"\nmodel = "test-model"\nwindow = 6000\n`,
  })

test('probe tells what was found, where, and how the arm is used', async () => {
  const server = await startLlamaCpp({ template: 'strict', window: 8_192 })
  const home = await homeWith(server.url)

  const { out, code } = await models(home, ['probe', 'mine'])

  expect(code).toBe(0)
  expect(out).toMatch(/^mine {2}test-model\n/)
  expect(out).toMatch(/^ {2}window +8192 tokens +GET \/props$/m)
  expect(out).toMatch(/^ {2}strict roles +yes +two user messages in a row$/m)
  expect(out).toMatch(/^ {2}native tools +yes +a call that was asked for$/m)
  expect(out).toContain('Used with a window of 6000 tokens (configured)')
})

test('show asks the server only, and remembers what a probe found', async () => {
  const server = await startLlamaCpp()
  const home = await homeWith(server.url)
  await models(home, ['probe', 'mine'])
  const asked = server.sent('/v1/chat/completions').length

  const { out } = await models(home, ['show', 'mine'], { json: true })

  const shown = JSON.parse(out) as { arm: string; findings: Record<string, { value: unknown }> }
  expect(shown.arm).toBe('mine')
  expect(shown.findings['jsonSchema']?.value).toBe(true)
  expect(server.sent('/v1/chat/completions')).toHaveLength(asked)
})

test('a server that is not configured is probed by its address', async () => {
  const server = await startLlamaCpp()
  const home = await tempProject()

  const { out } = await models(home, ['probe', server.url, 'test-model'])

  expect(out).toMatch(/^ {2}server +llama\.cpp +GET \/props$/m)
})

test('an arm that does not exist is an error with a hint', async () => {
  const home = await homeWith('http://127.0.0.1:9/v1')

  await expect(models(home, ['probe', 'mien'])).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining('did you mean "mine"'),
  })
})

test('what is no arm is shown as a model', async () => {
  const home = await homeWith('http://127.0.0.1:9/v1')

  const { out } = await models(home, ['show', 'qwen3.5:4b'])

  expect(out).toContain('qwen3.5:4b')
})
