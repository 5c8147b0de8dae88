/** Complete runs of the whole app on every fake server with every quirk, with nothing configured but the address. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFile } from 'node:fs/promises'
import { openServer } from '../../src/app/server-arm.ts'
import { defined } from '../../src/lib/object.ts'
import { packageFile } from '../../src/lib/package-files.ts'
import type { FakeQuirks } from '../support/model-server/fake-model.ts'
import type { FakeServer } from '../support/model-server/listen.ts'
import { startLlamaCpp } from '../support/model-server/llama-cpp.ts'
import { startLlamaCppPython } from '../support/model-server/llama-cpp-python.ts'
import { startLmStudio } from '../support/model-server/lm-studio.ts'
import { startOllama } from '../support/model-server/ollama.ts'
import { startVllm } from '../support/model-server/vllm.ts'
import { tempProject } from '../support/project.ts'
import { endOf, ofType, run, textOf } from '../support/run.ts'

const servers = [
  ['llama.cpp', startLlamaCpp],
  ['Ollama', startOllama],
  ['LM Studio', startLmStudio],
  ['vLLM', startVllm],
  ['llama-cpp-python', startLlamaCppPython],
] as const

const quirks: readonly (readonly [string, FakeQuirks])[] = [
  ['nothing wrong', {}],
  ['calls left in the text', { textCalls: true }],
  ['no tools taken', { noTools: true }],
  ['roles that must alternate', { template: 'strict' }],
  ['no system role', { template: 'noSystem' }],
  ['no role for results', { template: 'noToolRole' }],
  ['no patterns in schemas', { noPatterns: true }],
  ['a slow prefill', { prefillMs: 300 }],
  ['a model that is loading', { loadingRequests: 2 }],
]

const readIt = async (server: FakeServer, options: object = {}) =>
  run(server, await tempProject({ 'a.txt': 'hello heron\n' }), {
    prompt: 'Call read_file with {"path": "a.txt"}',
    probe: true,
    sleep: async () => {},
    ...options,
  })

test.each(servers.flatMap(([name, start]) => quirks.map(([what, quirk]) => ({ name, what, start, quirk }))))(
  'on $name with $what a run reads a file and answers',
  async ({ start, quirk }) => {
    const server = await start(quirk)

    const events = await readIt(server)

    expect(ofType(events, 'tool-end').map(({ name, ok }) => [name, ok])).toEqual([['read_file', true]])
    expect(textOf(events)).toContain('hello heron')
    expect(endOf(events).reason).toBe('answered')
  },
)

test('on Ollama every request names the window, and none loads the small default', async () => {
  const server = await startOllama({ loaded: 4_096 })

  await readIt(server)

  expect(server.sent('/v1/chat/completions')).toEqual([])
  expect(server.sent('/api/chat').map(({ options }) => options)).toEqual([
    expect.objectContaining({ num_ctx: 16_384 }),
    expect.objectContaining({ num_ctx: 16_384 }),
  ])
  expect(server.loaded()).toBe(16_384)
})

test('a file that is longer than the default window of Ollama is read whole', async () => {
  const folder = await tempProject()
  const lines = Array.from({ length: 400 }, (_, index) => `line ${index} of a long file about herons`)
  await writeFile(join(folder, 'long.txt'), lines.join('\n'))
  const server = await startOllama({ loaded: 4_096 })

  const events = await run(server, folder, {
    prompt: 'Call read_file with {"path": "long.txt"}',
    probe: true,
  })

  expect(textOf(events)).toContain('line 100 of a long file')
  expect(endOf(events).reason).toBe('answered')
})

test('what a server refused once it is not sent again', async () => {
  const server = await startVllm({ template: 'strict' })

  await readIt(server)

  const refused = server
    .sent('/v1/chat/completions')
    .filter(({ messages }) => JSON.stringify(messages).includes('"role":"tool"'))
  expect(refused).toHaveLength(1)
})

test('on llama-cpp-python a prompt beyond the unknown window is made to fit', async () => {
  const folder = await tempProject()
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index} of a long file about herons`)
  await writeFile(join(folder, 'long.txt'), lines.join('\n'))
  const server = await startLlamaCppPython({ window: 800 })

  const events = await run(server, folder, {
    prompt: 'Call read_file with {"path": "long.txt"}',
    probe: true,
  })

  const asked = server.sent('/v1/chat/completions').map(({ stream }) => stream)
  expect(asked).toContain(false)
  expect(endOf(events).reason).toBe('answered')
})

test('on llama-cpp-python a call that is required is written under a grammar of the tools, another is not', async () => {
  const server = await startLlamaCppPython()
  const settings = {
    id: 'arm',
    kind: 'openai-compatible',
    model: 'test-model',
    headers: {},
    local: true,
  } as const
  const { arm } = await openServer(
    { ...settings, baseUrl: server.url, known: {} },
    { promptsFolder: packageFile('prompts') },
  )
  const { model, arm: leased } = arm.lease('test')
  const parameters = { type: 'object' as const, properties: { path: { type: 'string' } }, required: ['path'] }
  const tools = ['read_file', 'write_file'].map((name) => ({ name, description: name, parameters }))
  const request = { runId: 'run', sessionId: 'one', turn: 1, system: '', tools }
  const choices = [undefined, 'auto', 'none', 'required', { name: 'write_file' }] as const

  for (const toolChoice of choices) {
    const asked = {
      ...request,
      messages: [{ role: 'user' as const, text: 'Hello' }],
      ...defined({ toolChoice }),
    }
    for await (const _ of model.stream(asked, new AbortController().signal));
  }

  const sent = server.sent('/v1/chat/completions').slice(-choices.length)
  const allowed = sent.map(({ grammar }) =>
    tools.flatMap(({ name }) => (`${grammar}`.includes(name) ? [name] : [])),
  )
  expect(allowed).toEqual([[], [], [], ['read_file', 'write_file'], ['write_file']])
  expect(sent.map((body) => [body['tools'], body['tool_choice']])).toEqual(
    choices.map(() => [undefined, undefined]),
  )
  expect(leased.capabilities).toMatchObject({ tools: 'text', requiredChoice: true })
})
