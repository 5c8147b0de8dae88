/** Complete runs of the whole app on every fake server with every quirk, with nothing configured but the address. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFile } from 'node:fs/promises'
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
