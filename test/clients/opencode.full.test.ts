/**
 * opencode, as people run it, against the server with a small model behind it: its prompt and tools are far larger than
 * the window, and the model writes its calls as text. `npm install` in this folder first.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ScriptedServerReply } from '../support/model-server.ts'
import { tempProject } from '../support/project.ts'
import { startArmApi } from '../server/api/arm-host.ts'
import type { ApiHost } from '../server/api/host.ts'
import { runs } from '../support/runs.ts'
import { seededSlice } from '../support/seed.ts'

const opencode = fileURLToPath(new URL('node_modules/.bin/opencode', import.meta.url))
const isInstalled = existsSync(opencode)
const skipped = isInstalled ? '' : ' (skipped: run `npm install` in test/clients first)'

type Call = { readonly name: string; readonly arguments: Readonly<Record<string, string>> }

const writeXml = ({ name, arguments: input }: Call): string => {
  const parameters = Object.entries(input).map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>`)
  return `<tool_call>\n<function=${name}>\n${parameters.join('\n')}\n</function>\n</tool_call>`
}

const writeGlm = ({ name, arguments: input }: Call): string => {
  const values = Object.entries(input).map(
    ([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>`,
  )
  return `<tool_call>${name}\n${values.join('\n')}\n</tool_call>`
}

const writePython = ({ name, arguments: input }: Call): string => {
  const values = Object.entries(input).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
  return `<|tool_call_start|>[${name}(${values.join(', ')})]<|tool_call_end|>`
}

const shapes: readonly [name: string, write: (call: Call) => ScriptedServerReply][] = [
  ['native calls', (call) => ({ calls: [call] })],
  ['<tool_call> JSON', (call) => ({ text: `<tool_call>\n${JSON.stringify(call)}\n</tool_call>` })],
  ['fenced JSON', (call) => ({ text: `I will do that.\n\`\`\`json\n${JSON.stringify(call)}\n\`\`\`` })],
  ['Qwen XML', (call) => ({ text: writeXml(call) })],
  [
    '[TOOL_CALLS]',
    ({ name, arguments: input }) => ({ text: `[TOOL_CALLS]${name}[ARGS]${JSON.stringify(input)}` }),
  ],
  ['bare JSON', ({ name, arguments: input }) => ({ text: JSON.stringify({ name, parameters: input }) })],
  ['a Python list', (call) => ({ text: writePython(call) })],
  ['GLM tags', (call) => ({ text: writeGlm(call) })],
]

/** opencode also asks for a title, without tools; whatever else it asks is the next step of the script. */
function withTitles(script: readonly ScriptedServerReply[]): ScriptedServerReply {
  const steps = [...script]
  return (request) => {
    const isTitle = !Array.isArray(request['tools'])
    const next = isTitle ? { text: 'A title' } : (steps.shift() ?? { text: 'There is nothing left to do.' })
    return typeof next === 'function' ? next(request) : next
  }
}

async function runOpencode(cwd: string, prompt: string, host: ApiHost): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'covey-opencode-'))
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))
  const options = { baseURL: `${host.url}/v1`, apiKey: await host.key() }
  const models = { small: { name: 'Small', tool_call: true, limit: { context: 8192, output: 2048 } } }
  const config = {
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    model: 'covey/small',
    small_model: 'covey/small',
    permission: { edit: 'allow', bash: 'allow', webfetch: 'deny' },
    provider: { covey: { npm: '@ai-sdk/openai-compatible', name: 'Covey', options, models } },
  }
  await writeFile(join(cwd, 'opencode.json'), JSON.stringify(config))
  const child = spawn(opencode, ['run', '--model', 'covey/small', prompt], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_DATA_HOME: join(home, 'data'),
      XDG_CACHE_HOME: join(home, 'cache'),
      XDG_STATE_HOME: join(home, 'state'),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    },
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect(code, output).toBe(0)
  return output
}

describe.skipIf(!isInstalled)(`opencode${skipped}`, () => {
  test.each(seededSlice(shapes, runs(2, shapes.length), 'opencode'))(
    'reads a file and edits it with %s',
    async (_, write) => {
      const cwd = await tempProject({ 'greeting.txt': 'Hello world\n' })
      const filePath = join(cwd, 'greeting.txt')
      const edit = { filePath, oldString: 'Hello world', newString: 'Good day' }
      const script = withTitles([
        write({ name: 'read', arguments: { filePath } }),
        write({ name: 'edit', arguments: edit }),
        { text: 'I changed the greeting.' },
      ])
      const { host, upstream } = await startArmApi([script], { repeatLast: true })

      const output = await runOpencode(cwd, 'Change the greeting in greeting.txt to Good day.', host)

      expect(await readFile(filePath, 'utf8')).toBe('Good day\n')
      expect(output).toContain('I changed the greeting.')
      const steps = upstream.requests.filter(({ tools }) => Array.isArray(tools))
      expect(JSON.stringify(steps[1]?.messages.at(-1))).toContain('Hello world')
      const [first, second, third] = steps.map(({ messages }) =>
        messages.map((message) => JSON.stringify(message)),
      )
      expect(second?.slice(0, first?.length)).toEqual(first)
      expect(third?.slice(0, second?.length)).toEqual(second)
    },
  )
})
