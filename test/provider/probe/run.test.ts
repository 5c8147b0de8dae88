/** The capability probe against fake servers over real HTTP: every property of every server, with every quirk. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { capabilitiesOf } from '../../../src/provider/arm-models.ts'
import { templateFindings } from '../../../src/provider/probe/template.ts'
import { probeArm } from '../../../src/provider/probe/run.ts'
import type { FakeQuirks } from '../../support/model-server/fake-model.ts'
import { startLlamaCpp } from '../../support/model-server/llama-cpp.ts'
import { startLmStudio } from '../../support/model-server/lm-studio.ts'
import { startOllama } from '../../support/model-server/ollama.ts'
import { startVllm } from '../../support/model-server/vllm.ts'
import { probe, settingsFor, valuesOf } from '../probing.ts'

const servers = [
  ['llama.cpp', startLlamaCpp],
  ['ollama', startOllama],
  ['lm-studio', startLmStudio],
  ['vllm', startVllm],
] as const

const signal = new AbortController().signal

test('llama.cpp says its window, its slots and its template', async () => {
  const server = await startLlamaCpp({ window: 12_288, slots: 4, vision: true })

  const { findings, warnings } = await probe(server)

  const { template, digest, ...values } = valuesOf(findings)
  expect(values).toEqual({
    server: 'llama.cpp',
    version: 'b8200-fake',
    window: 12_288,
    largestWindow: 32_768,
    slots: 4,
    vision: true,
    bos: '',
    eos: '<|im_end|>',
    embeddings: false,
    systemRole: true,
    strictRoles: false,
    toolRole: true,
    dialect: 'hermes',
    parallelCalls: true,
  })
  expect(template).toContain('<|im_start|>')
  expect(digest).toMatch(/^[0-9a-f]{16}$/)
  expect(findings.window?.from).toBe('GET /props')
  expect(findings.strictRoles?.from).toBe('the chat template')
  expect(warnings).toEqual([])
})

test('a llama.cpp whose template shows no tools is asked with prompts of ours, before the model is asked anything', async () => {
  const server = await startLlamaCpp({ template: 'toolless' })

  const report = await probe(server)

  expect(report.findings.nativeTools).toEqual({ value: false, from: 'GET /props' })
  expect(report.findings.rawPrompt).toEqual({ value: true, from: 'POST /apply-template' })
  expect(capabilitiesOf(settingsFor(server.url), report)).toMatchObject({ tools: 'raw', grammar: true })
  expect(server.sent('/v1/chat/completions')).toEqual([])
  expect(server.sent('/completion')).toEqual([])
})

test('where llama.cpp renders otherwise than we do, tools without a place in the template go as text', async () => {
  const server = await startLlamaCpp({ template: 'toolless', dropsSystem: true })

  const report = await probe(server)

  expect(report.findings.rawPrompt).toEqual({ value: false, from: 'POST /apply-template' })
  expect(capabilitiesOf(settingsFor(server.url), report).tools).toBe('text')
})

test.each(servers.filter(([name]) => name !== 'ollama'))(
  '%s that drops tools without a word is found out by the count of the prompt',
  async (_name, start) => {
    const server = await start({ template: 'toolless', olderBuild: true })

    const { findings } = await probe(server, 'full')

    expect(findings.nativeTools).toEqual({ value: false, from: 'a call that was asked for' })
  },
)

test('LM Studio says the window it has loaded, whatever it answers to other questions', async () => {
  const server = await startLmStudio({ window: 6_144, vision: true })

  const { findings } = await probe(server)

  const { digest: _, ...values } = valuesOf(findings)
  expect(values).toEqual({ server: 'lm-studio', window: 6_144, largestWindow: 32_768, vision: true })
  expect(findings.window?.from).toBe('GET /api/v0/models')
})

test('vLLM says the longest sequence it serves', async () => {
  const server = await startVllm({ window: 9_000 })

  const { findings } = await probe(server)

  const { digest: _, ...values } = valuesOf(findings)
  expect(values).toEqual({ server: 'vllm', version: '0.15.0', window: 9_000, largestWindow: 9_000 })
})

test('Ollama with its small default is loaded with a larger window, and a warning is shown', async () => {
  const server = await startOllama({ loaded: 4_096 })

  const { findings, warnings } = await probe(server)

  const { digest: _, ...values } = valuesOf(findings)
  expect(values).toEqual({
    server: 'ollama',
    version: '0.17.1',
    window: 16_384,
    largestWindow: 32_768,
    vision: false,
    embeddings: false,
    nativeTools: true,
  })
  expect(server.loaded()).toBe(16_384)
  expect(warnings).toEqual([
    'Ollama loaded test-model with a window of 16384 tokens (num_ctx); it had 4096. ' +
      'Set `window` under [arms.NAME] in config.toml for another size.',
  ])
})

test.each([
  ['one that is large enough stays', { loaded: 20_000 }, undefined, 20_000],
  ['one that is not loaded gets the usual size', {}, undefined, 16_384],
  ['no more than the model can do', { largestWindow: 8_192 }, undefined, 8_192],
  ['as much as is configured', { loaded: 4_096 }, 24_000, 24_000],
  ['half as much where memory does not suffice', { loaded: 4_096, largestLoad: 10_000 }, undefined, 8_192],
] as const)("Ollama's window: %s", async (_what, quirks, window, expected) => {
  const server = await startOllama(quirks)

  const { findings } = await probe(server, 'metadata', { known: window === undefined ? {} : { window } })

  expect(findings.window?.value).toBe(expected)
  expect(server.loaded()).toBe(expected)
})

test('a model on Ollama that is only looked at is not loaded', async () => {
  const server = await startOllama()

  const { findings, warnings } = await probeArm(settingsFor(server.url), { depth: 'metadata', signal })

  expect(findings.window).toEqual({ value: 16_384, from: 'num_ctx of every request' })
  expect(warnings).toEqual([])
  expect(server.loaded()).toBeUndefined()
})

test('an Ollama that cannot load more keeps what it has, and says why', async () => {
  const server = await startOllama({ loaded: 4_096, largestLoad: 4_096 })

  const { findings, warnings } = await probe(server)

  expect(findings.window?.value).toBe(4_096)
  expect(warnings).toEqual([expect.stringContaining('model requires more system memory than is available')])
})

test('a server that is loading is asked again', async () => {
  const server = await startLlamaCpp({ loadingRequests: 8 })

  const { findings } = await probe(server)

  expect(findings.server?.value).toBe('llama.cpp')
})

test('a server that answers nothing is unknown, and nothing is claimed about it', async () => {
  const { findings, warnings } = await probe({ url: 'http://127.0.0.1:9/v1' })

  const { digest: _, ...values } = valuesOf(findings)
  expect(values).toEqual({ server: 'unknown' })
  expect(warnings).toEqual([])
})

test('makers of cloud models are not asked', async () => {
  const settings = settingsFor('https://api.example.com/v1', { kind: 'anthropic' })

  expect(await probeArm(settings, { depth: 'full', signal })).toEqual({ findings: {}, warnings: [] })
})

const usual = {
  nativeTools: true,
  parallelCalls: true,
  requiredChoice: true,
  jsonSchema: true,
  patterns: true,
  strictRoles: false,
  systemRole: true,
  toolRole: true,
  vision: false,
  embeddings: false,
}

const quirks: readonly (readonly [string, FakeQuirks, object])[] = [
  ['nothing wrong', {}, {}],
  [
    'calls left in the text',
    { textCalls: true },
    { nativeTools: false, dialect: 'hermes', requiredChoice: false },
  ],
  ['one call at a time', { oneCall: true }, { parallelCalls: false }],
  ['no heed of tool_choice', { ignoresRequired: true }, { requiredChoice: false }],
  ['no heed of schemas', { ignoresSchema: true }, { jsonSchema: false }],
  ['no patterns in schemas', { noPatterns: true }, { patterns: false }],
  ['roles that must alternate', { template: 'strict' }, { strictRoles: true, toolRole: false }],
  ['no system role', { template: 'noSystem' }, { systemRole: false }],
  ['no role for results', { template: 'noToolRole' }, { toolRole: false }],
  ['system text dropped without a word', { dropsSystem: true }, { systemRole: false }],
  ['a model that sees', { vision: true }, { vision: true }],
  ['a model that embeds', { embeddings: true }, { embeddings: true }],
]

const cases = servers.flatMap(([name, start]) =>
  quirks.map(([what, quirk, expected]) => ({ name, start, what, quirk, expected })),
)

test.each(cases)('on $name the probe finds $what', async ({ name, start, quirk, expected }) => {
  const server = await start(quirk)

  const { findings } = await probe(server, 'full')

  // Ollama's chat has no tool_choice.
  const byServer = name === 'ollama' ? { requiredChoice: false } : {}
  expect(valuesOf(findings)).toMatchObject({ ...usual, ...expected, ...byServer })
  expect(findings.decodeSpeed?.value).toBeGreaterThan(0)
  expect(findings.prefillSpeed?.value).toBeGreaterThan(0)
})

test.each(servers)('a %s that takes no tools at all is asked with tools as text', async (_name, start) => {
  const server = await start({ noTools: true, model: 'test-model' })

  const report = await probe(server, 'full')

  expect(report.findings.nativeTools?.value).toBe(false)
  expect(capabilitiesOf(settingsFor(server.url), report).tools).not.toBe('native')
})

test('speed is measured by the clock', async () => {
  const server = await startLlamaCpp()
  let clock = 0
  const now = () => (clock += 100)

  const { findings } = await probeArm(settingsFor(server.url), { depth: 'full', now, signal })

  expect(findings.prefillSpeed?.value).toBeGreaterThan(100)
  expect(findings.prefillSpeed?.from).toBe('a prompt of 341 words')
})

test('a grammar counts only if the answer obeys it', async () => {
  const obeys = await probe(await startLlamaCpp(), 'full')
  const drops = await probe(await startLlamaCpp({ ignoresGrammar: true }), 'full')

  expect(obeys.findings.grammar).toEqual({ value: true, from: 'an answer by grammar' })
  expect(drops.findings.grammar?.value).toBe(false)
})

test.each(servers)('on %s a prompt of ours counts as the chat does', async (_name, start) => {
  const server = await start({ model: 'qwen-test' })

  const { findings } = await probe(server, 'full', { model: 'qwen-test' })

  expect(findings.rawPrompt?.value).toBe(true)
})

test('a prompt of ours that is counted in another way is not used', async () => {
  const server = await startVllm({ model: 'qwen-test', dropsSystem: true })

  const { findings } = await probe(server, 'full', { model: 'qwen-test' })

  expect(findings.rawPrompt?.value).toBe(false)
})

test('a server with strict roles and a role for results keeps that role', () => {
  const findings = {
    strictRoles: { value: true, from: 'two user messages in a row' },
    toolRole: { value: true, from: 'a result in a message of its own' },
  }

  const { emission } = capabilitiesOf(settingsFor('http://127.0.0.1:9/v1'), { findings, warnings: [] })

  expect(emission).toEqual({ base: 'tool-role' })
})

test('Gemma of old takes no system text and wants roles to alternate', async () => {
  const template =
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}" +
    "{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}" +
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}" +
    "{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}" +
    "{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}" +
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"

  expect(valuesOf(await templateFindings(template))).toEqual({
    systemRole: false,
    strictRoles: true,
    toolRole: false,
  })
})

test('a template that cannot be rendered says nothing', async () => {
  expect(await templateFindings('{% for message in messages %}{{ message.content')).toEqual({})
})

async function cacheFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'covey-probe-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'models', 'probed.json')
}

test('behaviour is remembered per digest; what the server says is asked anew', async () => {
  const cache = await cacheFile()
  const server = await startVllm({ template: 'strict' })
  const other = await startVllm({ window: 4_000 })
  await probeArm(settingsFor(server.url), { depth: 'full', cache, signal })
  const asked = server.sent('/v1/chat/completions').length

  const again = await probeArm(settingsFor(server.url), { depth: 'metadata', cache, signal })
  const elsewhere = await probeArm(settingsFor(other.url), { depth: 'metadata', cache, signal })

  expect(again.findings.strictRoles).toEqual({ value: true, from: 'two user messages in a row' })
  expect(again.findings.window?.from).toBe('GET /v1/models')
  expect(server.sent('/v1/chat/completions')).toHaveLength(asked)
  expect(elsewhere.findings.strictRoles).toBeUndefined()
})

test('a cache that is broken is as good as none, and is written anew', async () => {
  const cache = await cacheFile()
  const server = await startVllm()
  await probeArm(settingsFor(server.url), { depth: 'full', cache, signal })
  await writeFile(cache, '{"version": 1, "models": {"x": {"strictRoles": {"value": "maybe"')

  await probeArm(settingsFor(server.url), { depth: 'full', cache, signal })

  const kept = JSON.parse(await readFile(cache, 'utf8')) as { models: Record<string, object> }
  expect(Object.values(kept.models)).toEqual([expect.objectContaining({ strictRoles: expect.anything() })])
})

test('what is configured wins over what was found, and that over what is assumed', async () => {
  const server = await startVllm({ window: 6_000, template: 'strict' })
  const settings = settingsFor(server.url, { known: { requiredChoice: false } })

  const report = await probe(server, 'full')
  const found = capabilitiesOf(settings, report)
  const assumed = capabilitiesOf(settings, undefined)
  const configured = capabilitiesOf({ ...settings, known: { window: 2_048, tools: 'text' } }, report)

  expect(found).toMatchObject({
    window: 6_000,
    windowFrom: 'reported',
    tools: 'native',
    requiredChoice: false,
    emission: { base: 'user-results', strict: true },
    server: 'vllm',
  })
  expect(assumed).toMatchObject({ window: 4_096, windowFrom: 'assumed', emission: { base: 'tool-role' } })
  expect(configured).toMatchObject({
    window: 2_048,
    windowFrom: 'configured',
    tools: 'text',
    requiredChoice: true,
  })
})

test('questions that take too long are stopped, and what was found until then is kept', async () => {
  const server = await startLlamaCpp({ window: 12_288, prefillMs: 600_000 })

  const report = await probeArm(settingsFor(server.url), { depth: 'full', limitMs: 300, signal })

  expect(valuesOf(report.findings)).toMatchObject({ server: 'llama.cpp', window: 12_288 })
  expect(report.findings.decodeSpeed).toBeUndefined()
  expect(report.warnings).toEqual([expect.stringMatching(/stopped after 0\.3 s.*covey models probe/)])
})
