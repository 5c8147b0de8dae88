import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ModelEvent, ModelRequest } from '../../../src/protocol/model.ts'
import { createAgentModel, findAgents } from '../../../src/provider/agents/model.ts'
import { type AgentName, agentNames, agentPrograms } from '../../../src/provider/agents/programs.ts'
import { covey } from '../../support/covey.ts'
import { tempProject } from '../../support/project.ts'
import { emptyHome } from '../../support/run.ts'

const request = (...texts: readonly string[]): ModelRequest => ({
  runId: 'r',
  sessionId: 's',
  turn: 1,
  system: 'You are Covey.',
  messages: texts.map((text) => ({ role: 'user', text })),
  tools: [],
})

/** A program of that name that keeps its input and prints these lines. */
async function program(
  agent: AgentName,
  script: string,
): Promise<{ folder: string; told: string; path: string }> {
  const folder = join(await tempProject(), 'bin')
  await mkdir(folder)
  const path = join(folder, agent)
  const told = join(folder, 'told.txt')
  await writeFile(path, `#!/bin/sh\necho "$@" > ${told}\ncat >> ${told}\n${script}\n`)
  await chmod(path, 0o755)
  return { folder, told, path }
}

const lines = (...values: readonly object[]): string =>
  values.map((value) => `echo '${JSON.stringify(value)}'`).join('\n')

async function ask(
  agent: AgentName,
  script: string,
  signal = AbortSignal.timeout(10_000),
): Promise<ModelEvent[]> {
  const { path } = await program(agent, script)
  const model = createAgentModel({
    id: `agent/${agent}`,
    agent,
    path,
    cwd: await tempProject(),
    env: process.env,
  })
  const events: ModelEvent[] = []
  for await (const event of model.stream(request('Say hello.'), signal)) events.push(event)
  return events
}

const textOf = (events: readonly ModelEvent[]): string =>
  events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')

describe('what each of them prints is read', () => {
  test.each<[AgentName, readonly object[]]>([
    [
      'claude',
      [
        { type: 'system', subtype: 'init' },
        { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'Read', input: {} }] } },
        { type: 'assistant', message: { content: [{ type: 'text', text: 'Hello.' }] } },
        {
          type: 'result',
          is_error: false,
          result: 'Hello.',
          usage: { input_tokens: 3, output_tokens: 2, cache_read_input_tokens: 4 },
        },
      ],
    ],
    [
      'codex',
      [
        { type: 'thread.started', thread_id: 'x' },
        { type: 'item.completed', item: { type: 'command_execution', command: 'Read' } },
        { type: 'item.completed', item: { type: 'agent_message', text: 'Hello.' } },
        { type: 'turn.completed', usage: { input_tokens: 7, cached_input_tokens: 4, output_tokens: 2 } },
      ],
    ],
    [
      'gemini',
      [
        { type: 'init', session_id: 'x' },
        { type: 'message', role: 'user', content: 'Say hello.' },
        { type: 'tool_use', tool_name: 'Read' },
        { type: 'message', role: 'assistant', content: 'Hello.' },
        { type: 'result', status: 'success', stats: { input_tokens: 7, output_tokens: 2, cached: 4 } },
      ],
    ],
    [
      'opencode',
      [
        { type: 'step_start', part: {} },
        { type: 'tool_use', part: { tool: 'Read' } },
        { type: 'text', part: { text: 'Hello.' } },
        { type: 'step_finish', part: { tokens: { input: 3, output: 2, cache: { read: 4 } } } },
      ],
    ],
  ])('%s', async (agent, printed) => {
    const events = await ask(agent, lines(...printed))

    expect(events).toEqual([
      { type: 'reasoning-delta', text: '[Read]\n' },
      { type: 'text-delta', text: 'Hello.' },
      { type: 'usage', usage: { prompt: 7, completion: 2, cached: 4 } },
      { type: 'finish', reason: 'stop' },
    ])
  })
})

test('the prompt comes on stdin, with what was said before it and without our system text', async () => {
  const { path, told } = await program('claude', lines({ type: 'result' }))
  const model = createAgentModel({
    id: 'agent/claude',
    agent: 'claude',
    path,
    cwd: await tempProject(),
    env: process.env,
  })

  for await (const _ of model.stream(request('First.', 'Second.'), AbortSignal.timeout(10_000)));

  expect(await readFile(told, 'utf8')).toBe(
    '--print --output-format stream-json --verbose\nWhat was said before:\n\nUser: First.\n\nNow:\n\nSecond.',
  )
})

test('no flag disables its approvals', () => {
  const flags = agentNames.flatMap((name) => agentPrograms[name].args('m'))

  expect(flags.filter((flag) => /danger|yolo|bypass|skip|full-auto|^--auto$|approve/i.test(flag))).toEqual([])
})

test.each([
  ['a failure it tells of', lines({ type: 'result', is_error: true, result: 'no credit' }), 'no credit'],
  ['an exit code', 'echo not logged in >&2; exit 3', 'not logged in'],
  ['no word at all', 'exit 7', 'exit code 7'],
])('%s is an error that names it', async (_, script, message) => {
  await expect(ask('claude', script)).rejects.toThrow(message)
})

test('what is no JSON is passed over', async () => {
  const script = `echo warming up\n${lines({ type: 'assistant', message: { content: [{ type: 'text', text: 'Hi.' }] } })}`

  expect(textOf(await ask('claude', script))).toBe('Hi.')
})

test('cancelling ends it and what it started', async () => {
  const project = await tempProject()
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 300)

  const events = await ask('claude', `sleep 30 & sleep 30; echo late > ${project}/late`, stop.signal)

  expect(events).toEqual([])
})

test('one that does not listen is ended all the same', async () => {
  const cancel = new AbortController()
  setTimeout(() => cancel.abort(), 300)

  const events = await ask('claude', "trap '' TERM\nsleep 60; sleep 60", cancel.signal)

  expect(events).toEqual([])
})

describe('as an arm', () => {
  const home = async (config: string, folder: string) => {
    const env = await emptyHome()
    const place = join(env['XDG_CONFIG_HOME'] ?? '', 'covey')
    await mkdir(place, { recursive: true })
    await writeFile(join(place, 'config.toml'), config)
    return { ...env, PATH: `${folder}:${env['PATH']}` }
  }
  const hello = lines({
    type: 'assistant',
    message: { content: [{ type: 'text', text: 'Hello from afar.' }] },
  })
  const arms = ['a', 'b'].map(
    (id) => `[arms.${id}]\nbase_url = "http://127.0.0.1:9/v1"\nwindow = 8192\nenabled = false\n`,
  )

  test('it is found on PATH, but never in the project', async () => {
    const { folder } = await program('codex', '')

    expect(await findAgents({ PATH: folder }, '/elsewhere')).toEqual([
      { agent: 'codex', path: join(folder, 'codex') },
    ])
    expect(await findAgents({ PATH: folder }, join(folder, '..'))).toEqual([])
  })

  test('it answers when it is chosen by name', async () => {
    const { folder } = await program('claude', hello)
    const env = await home('', folder)

    const run = await covey(['--model', 'agent/claude', 'hello'], { cwd: await tempProject(), env })

    expect(run).toMatchObject({ code: 0, out: 'Hello from afar.\n' })
  })

  test('the router leaves it alone until the cloud is allowed', async () => {
    const { folder, told } = await program('claude', hello)
    const router = (cloud: boolean) =>
      `[router]\ndiscover = false\nclassifier = "keywords"\ncloud = ${cloud}\n${arms.join('')}`
    const cwd = await tempProject({ 'a.txt': 'x' })

    await covey(['Explain why the architecture of a.txt is hard to test'], {
      cwd,
      env: await home(router(false), folder),
    })
    const untouched = await readFile(told).then(
      () => false,
      () => true,
    )
    const allowed = await covey(['Explain why the architecture of a.txt is hard to test'], {
      cwd,
      env: await home(router(true), folder),
    })

    expect(untouched).toBe(true)
    expect(allowed.out).toBe('Hello from afar.\n')
  })
})
