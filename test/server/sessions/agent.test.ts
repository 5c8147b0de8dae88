import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { calls, fails, says, scriptedModel, type ScriptedModel } from '../../../src/provider/scripted.ts'
import { AppError } from '../../../src/protocol/error.ts'
import type { RunEndReason } from '../../../src/protocol/run-end-reasons.ts'
import type { Model, ModelEvent } from '../../../src/protocol/model.ts'
import { ChatChunk, ChatCompletion } from '../../../src/server/openai/chat-reply.ts'
import { MessageReply } from '../../../src/server/anthropic/reply.ts'
import type { AgentParts } from '../../../src/server/parts.ts'
import { tempProject } from '../../support/project.ts'
import { openTestApp } from '../../support/run.ts'
import { readEvents, startApi, weatherTool } from '../api/host.ts'

type Opened = Parameters<AgentParts['open']>[0]

/** Real sessions with real tools in a real folder. */
async function agentsIn(cwd: string, model: Model): Promise<AgentParts & { readonly opened: Opened[] }> {
  const app = await openTestApp(model, cwd)
  const opened: Opened[] = []
  return {
    profiles: ['careful'],
    opened,
    async open(input) {
      opened.push(input)
      return app.openSession({ resume: 'new', canAsk: false })
    },
  }
}

const usage: ModelEvent = { type: 'usage', usage: { prompt: 100, completion: 10 } }

async function startAgent(model: ScriptedModel) {
  const cwd = await tempProject({ 'a.txt': 'hello\n' })
  const agents = await agentsIn(cwd, model)
  return { cwd, agents, host: await startApi(model, { agents }) }
}

const ask = { model: 'covey/agent', messages: [{ role: 'user', content: 'What is in a.txt?' }] }
const reads = [says('Let me look.'), calls('read_file', { path: 'a.txt' }), usage]

describe('an agent that gives no answer', () => {
  const nothing = () =>
    scriptedModel(...Array.from({ length: 8 }, () => [says('Hello! How can I help you?')]))

  test('is an error object with a status', async () => {
    const { host } = await startAgent(nothing())

    const response = await host.post('/v1/chat/completions', ask)

    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({
      error: { code: 'no_answer', message: expect.stringContaining('No answer') as string },
    })
  })

  test('ends a stream with the error object', async () => {
    const { host } = await startAgent(nothing())

    const response = await host.post('/v1/chat/completions', { ...ask, stream: true })

    expect(await response.text()).toContain('no_answer')
  })
})

describe('a run that did not end by an answer never looks like one:', () => {
  /** One session whose only run ends like this. */
  const ending = (reason: RunEndReason): AgentParts => ({
    profiles: [],
    open: async () => ({
      id: 'one',
      prompt: async () => ({ runId: 'run-1' }),
      async *events() {
        yield { id: 1, type: 'text-delta', text: 'I looked.' }
        const attribution = { model: 1, repair: 0, detector: 0 }
        const end = { type: 'run-end', runId: 'run-1', turns: 1, attribution } as const
        yield { ...end, id: 2, reason, changed: ['b.txt'], report: `It ended: ${reason}.` }
      },
      cancel: async () => {},
      answer: async () => {},
      history: async () => [],
      command: async () => {},
      list: async () => [],
      close: async () => {},
    }),
  })

  test.each(['max-turns', 'budget', 'window-too-small'] as const)('%s is cut off', async (reason) => {
    const host = await startApi(scriptedModel(), { agents: ending(reason) })

    const response = await host.post('/v1/chat/completions', ask)

    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      choices: [{ finish_reason: 'length', message: { content: `I looked.\n\nIt ended: ${reason}.` } }],
    })
  })

  test.each([
    ['no-answer', 502, 'no_answer'],
    ['no-progress', 502, 'no_answer'],
    ['repetition', 502, 'no_answer'],
    ['repeated-call', 502, 'no_answer'],
    ['patch-spiral', 502, 'no_answer'],
    ['cancelled', 503, 'model_unavailable'],
  ] as const)('%s is an error', async (reason, status, code) => {
    const host = await startApi(scriptedModel(), { agents: ending(reason) })

    const whole = await host.post('/v1/chat/completions', ask)
    const streamed = await host.post('/v1/chat/completions', { ...ask, stream: true })

    const message = `It ended: ${reason}. Changed: b.txt.`
    expect(whole.status).toBe(status)
    expect(await whole.json()).toMatchObject({ error: { code, message } })
    const text = await streamed.text()
    expect(text).toContain(`"code":"${code}"`)
    expect(text).not.toContain('[DONE]')
  })
})

describe('covey/agent', () => {
  test('runs its own tools and tells what it does as reasoning and as data', async () => {
    const { host } = await startAgent(scriptedModel(reads, [says('It says hello.'), usage]))

    const response = await host.post('/v1/chat/completions', ask)

    const completion = ChatCompletion.parse(await response.json())
    expect(completion.model).toBe('covey/agent')
    expect(completion.choices[0]).toMatchObject({
      message: { content: 'Let me look.\n\nIt says hello.' },
      finish_reason: 'stop',
    })
    expect(completion.choices[0]?.message.reasoning_content).toMatch(/\[.*a\.txt.*\] done/)
    expect(completion.choices[0]?.message.tool_calls).toBeUndefined()
    expect(completion.usage).toMatchObject({ prompt_tokens: 200, completion_tokens: 20 })
    expect(completion.covey?.activity?.map((entry) => (entry as { type: string }).type)).toEqual([
      'tool-start',
      'tool-end',
      'run-end',
    ])
  })

  test('changes files under its own guard', async () => {
    const model = scriptedModel([calls('write_file', { path: 'b.txt', content: 'new\n' })], [says('Done.')])
    const { host, cwd } = await startAgent(model)

    await host.post('/v1/chat/completions', ask)

    expect(await readFile(join(cwd, 'b.txt'), 'utf8')).toBe('new\n')
  })

  test.each([
    ['a field', { covey: { activity: false } }, {}],
    ['a header', {}, { 'x-covey-activity': 'off' }],
  ])('keeps its doings out of the reasoning where %s says so', async (_, field, headers) => {
    const { host } = await startAgent(scriptedModel(reads, [says('It says hello.')]))

    const response = await host.post('/v1/chat/completions', { ...ask, ...field }, { headers })

    const { choices } = ChatCompletion.parse(await response.json())
    expect(choices[0]?.message.reasoning_content).toBeUndefined()
  })

  test('streams valid chunks', async () => {
    const { host } = await startAgent(scriptedModel(reads, [says('It says hello.')]))

    const events = await readEvents(await host.post('/v1/chat/completions', { ...ask, stream: true }))

    const chunks = events.slice(0, -1).map(({ data }) => ChatChunk.parse(JSON.parse(data)))
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
    expect(text).toBe('Let me look.\n\nIt says hello.')
    expect(events.at(-1)?.data).toBe('[DONE]')
  })

  test('is opened with what was said before, the system text and its profile', async () => {
    const { host, agents } = await startAgent(scriptedModel([says('Yes.')]))

    await host.post('/v1/chat/completions', {
      model: 'covey/agent:careful',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Good day.' },
        { role: 'user', content: 'Again?' },
      ],
    })

    expect(agents.opened).toEqual([
      {
        profile: 'careful',
        system: 'Be brief.',
        client: expect.any(String) as string,
        history: [
          { role: 'user', text: 'Hello.' },
          { role: 'assistant', text: 'Good day.', calls: [] },
        ],
      },
    ])
  })

  test('with tools of the client is only its model and executes nothing', async () => {
    const model = scriptedModel([calls('get_weather', { city: 'Rome' })])
    const { host, agents } = await startAgent(model)

    const response = await host.post('/v1/chat/completions', { ...ask, tools: [weatherTool] })

    const { choices } = ChatCompletion.parse(await response.json())
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    expect(agents.opened).toEqual([])
  })

  test('answers in the words of Anthropic and Ollama, too', async () => {
    const { host } = await startAgent(scriptedModel([says('One.')], [says('Two.')]))

    const count = { ...ask, messages: [{ role: 'user', content: 'Count.' }] }
    const message = await host.post('/v1/messages', { ...count, max_tokens: 100 })
    const chat = await host.post('/api/chat', { ...count, stream: false })

    expect(MessageReply.parse(await message.json()).content).toEqual([{ type: 'text', text: 'One.' }])
    expect(await chat.json()).toMatchObject({ message: { role: 'assistant', content: 'Two.' }, done: true })
  })

  test.each([
    ['an unknown profile', { model: 'covey/agent:absent' }, 404],
    ['nothing to do', { messages: [...ask.messages, { role: 'assistant', content: 'Hm.' }] }, 400],
  ])('with %s is refused', async (_, field, status) => {
    const { host } = await startAgent(scriptedModel())

    expect((await host.post('/v1/chat/completions', { ...ask, ...field })).status).toBe(status)
  })

  test('is not for tokens that may not run tools', async () => {
    const { host, agents } = await startAgent(scriptedModel())

    const response = await host.post('/v1/chat/completions', ask, { client: 'chatter' })

    expect(response.status).toBe(403)
    expect(agents.opened).toEqual([])
  })

  test('whose model fails gives an error', async () => {
    const { host } = await startAgent(scriptedModel([fails(new AppError('credential', 'The key is wrong.'))]))

    const response = await host.post('/v1/chat/completions', ask)

    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('key is wrong') },
    })
  })

  test('stops when its client goes away', async () => {
    let noticeLeft = () => {}
    const left = new Promise<void>((resolve) => (noticeLeft = resolve))
    const endless: Model = {
      name: 'endless',
      async *stream(_, signal) {
        yield { type: 'text-delta', text: 'On and on ' }
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        noticeLeft()
      },
    }
    const agents = await agentsIn(await tempProject({}), endless)
    const host = await startApi(endless, { agents })
    const gone = new AbortController()
    onTestFinished(() => gone.abort())

    const response = await host.post(
      '/v1/chat/completions',
      { ...ask, stream: true },
      { signal: gone.signal },
    )
    const reader = response.body!.getReader()
    while (!Buffer.from((await reader.read()).value ?? []).includes('On and on')) continue
    gone.abort()

    await left
  })
})
