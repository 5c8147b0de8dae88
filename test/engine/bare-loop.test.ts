/** Ends of runs that built-in tools and well-behaved servers do not bring about. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { createPrinter } from '../../src/cli/print.ts'
import type { SessionEvent } from '../../src/protocol/event.ts'
import { AppError } from '../../src/protocol/error.ts'
import type { Message } from '../../src/protocol/message.ts'
import { defineTool, type Tool } from '../../src/protocol/tool.ts'
import {
  calls,
  createScriptedModel,
  fails,
  finish,
  says,
  scriptedModel,
} from '../../src/provider/scripted.ts'
import { bareRun } from './bare-run.ts'

const tool = (name: string, run: Tool['run'], access: Tool['access'] = () => []): Tool =>
  defineTool({ name, description: name, category: 'read', input: z.object({}).loose(), access, run })

const resultsIn = (messages: readonly Message[] = []): readonly string[] =>
  messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []))

describe('there is a result in every case:', () => {
  test('a tool that says nothing', async () => {
    const model = scriptedModel([calls('quiet')], [says('Done.')])

    const { end, added } = await bareRun({
      models: [model],
      tools: [tool('quiet', async () => ({ ok: true, text: '' }))],
    })

    expect(resultsIn(added)).toEqual(['(no output)'])
    expect(end.reason).toBe('answered')
  })

  test('half a character, which servers refuse', async () => {
    const model = scriptedModel([calls('torn')], [says('Done.')])

    const { added } = await bareRun({
      models: [model],
      tools: [tool('torn', async () => ({ ok: true, text: 'ends in \uD83D' }))],
    })

    expect(resultsIn(added)).toEqual(['ends in \uFFFD'])
  })

  test('a long result that cannot be stored', async () => {
    const model = scriptedModel([calls('long')], [says('Done.')])
    const lines = Array.from({ length: 3000 }, (_, line) => `line ${line}`).join('\n')

    const { end, added } = await bareRun({
      models: [model],
      tools: [tool('long', async () => ({ ok: true, text: lines }))],
      results: { put: () => Promise.reject(new Error('ENOSPC: no space left on device')) },
    })

    expect(resultsIn(added)[0]).toMatch(/^line 0\n[\s\S]*line 2999\n\[the rest could not be stored\]$/)
    expect(end.reason).toBe('answered')
  })

  test('a tool that cannot tell what it would touch', async () => {
    const model = scriptedModel([calls('vague')], [says('Done.')])
    const access = () => {
      throw new Error('no such place')
    }

    const { end, added } = await bareRun({
      models: [model],
      tools: [tool('vague', async () => ({ ok: true, text: 'ran' }), access)],
    })

    expect(resultsIn(added)).toEqual(['Error: no such place'])
    expect(end.reason).toBe('answered')
  })
})

test('cancelling does not wait for a tool that does not heed it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const controller = new AbortController()
  const model = scriptedModel([calls('stubborn'), calls('stubborn', { again: true })], [says('Done.')])

  const { end, added } = await bareRun({
    models: [model],
    tools: [
      tool(
        'stubborn',
        () => new Promise(() => {}),
        () => [{ kind: 'run', target: 'x' }],
      ),
    ],
    signal: controller.signal,
    onEvent: (event) => {
      if (event.type !== 'tool-start') return
      controller.abort()
      void vi.advanceTimersByTimeAsync(5000)
    },
  })

  expect(end.reason).toBe('cancelled')
  expect(resultsIn(added)).toEqual([
    'Error: interrupted: the run ended while this ran',
    'interrupted: the run ended before this was run',
  ])
})

describe('an answer cut by the output limit', () => {
  const half = [says('The first half, '), finish('length')]

  test('is kept when the run ends before it is whole', async () => {
    const model = scriptedModel(half)

    const { end, added } = await bareRun({ models: [model], capabilities: { prefill: true }, maxTurns: 1 })

    expect(end.reason).toBe('max-turns')
    expect(added).toEqual([{ role: 'assistant', text: 'The first half, ', calls: [], flag: 'cut' }])
  })

  test('is kept when the server breaks in the middle', async () => {
    const { end, added } = await bareRun({ models: [scriptedModel(half)], capabilities: { prefill: true } })

    expect(end.reason).toBe('error')
    expect(added).toEqual([{ role: 'assistant', text: 'The first half, ', calls: [], flag: 'cut' }])
  })

  test('is as long as the window lets it be, and every request fits', async () => {
    const long = [says(Array.from({ length: 240 }, (_, index) => `word${index}`).join(' ')), finish('length')]
    const model = createScriptedModel([long], { repeatLast: true })

    const { end, added } = await bareRun({ models: [model], capabilities: { prefill: true, window: 1536 } })

    const sizes = model.asked.map(
      ({ messages, maxTokens = 0 }) =>
        maxTokens + messages.reduce((sum, { text }) => sum + text.length / 4, 0),
    )
    expect(sizes.length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThan(1536)
    expect(end.reason).toBe('answered')
    expect(added).toMatchObject([{ role: 'assistant', flag: 'cut' }])
  })
})

test('an arm that takes over gets as many turns without progress as any other', async () => {
  const places = ['a', 'b', 'c', 'd'].map((at) => [calls('look', { at })])
  const first = createScriptedModel(places, { name: 'first', repeatLast: true })
  const second = createScriptedModel(
    [[says('')], [says('')], [calls('look', { at: 'y' })], [says('The answer is y.')]],
    { name: 'second' },
  )

  const { end } = await bareRun({
    models: [first, second],
    tools: [
      defineTool({
        name: 'look',
        description: 'look',
        category: 'read',
        input: z.object({ at: z.string() }),
        run: async ({ at }) => `${at} is here`,
      }),
    ],
    prompt: 'What is the answer?',
  })

  expect(end).toMatchObject({ reason: 'answered', attribution: { escalation: 1 } })
})

test('text streamed before the window was full is withdrawn', async () => {
  const full = fails(new AppError('context-overflow', 'The context is full.'))
  const model = scriptedModel([says('Half an ans'), full], [says('The answer.')])

  const { events } = await bareRun({ models: [model] })

  const told = events.filter(({ type }) => type === 'text-delta' || type === 'reply-restart')
  expect(told).toEqual([
    { type: 'text-delta', text: 'Half an ans' },
    { type: 'reply-restart', why: 'The context is full.' },
    { type: 'text-delta', text: 'The answer.' },
  ])
})

describe('a substitute for a failed arm that refuses', () => {
  const fail = fails(new AppError('model-unavailable', 'one is out of order'))
  const refuses = [{ type: 'refusal' as const }, says('This is beyond me.')]

  test('says nothing: the failure is the answer', async () => {
    const { end, events } = await bareRun({
      models: [scriptedModel([fail]), scriptedModel(refuses)],
      movesOn: true,
    })

    expect(end).toMatchObject({ reason: 'error', report: 'one is out of order' })
    expect(events.filter(({ type }) => type === 'text-delta' || type === 'message')).toEqual([])
  })

  test('after it did a part of the work, too', async () => {
    const { end, events } = await bareRun({
      models: [scriptedModel([fail]), scriptedModel([calls('look')], refuses)],
      tools: [tool('look', async () => ({ ok: true, text: 'seen' }))],
      movesOn: true,
    })

    expect(end).toMatchObject({ reason: 'error', report: 'one is out of order' })
    expect(events.filter(({ type }) => type === 'text-delta')).toEqual([])
  })

  test('where nothing failed, its words are shown, and they are no answer', async () => {
    const { end, events } = await bareRun({ models: [scriptedModel(refuses)] })

    expect(end).toMatchObject({
      reason: 'no-answer',
      report:
        'No answer: the model declined the request. No file was changed. Ask for less, or use a larger model (--model).',
    })
    const shown = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
    expect(shown).toBe('This is beyond me.')
  })
})

test('an arm that cannot go on with a begun answer is asked to', async () => {
  const first = scriptedModel([says('One, two, '), finish('length')])
  const second = createScriptedModel([[says('three.')]], { name: 'second' })

  const { added } = await bareRun({ models: [first, second], capabilities: { prefill: true }, movesOn: true })

  expect(second.asked[0]?.continueLast).toBeUndefined()
  expect(second.asked[0]?.messages.slice(-2)).toEqual([
    { role: 'assistant', text: 'One, two, ', calls: [] },
    expect.objectContaining({ role: 'user', origin: 'note' }),
  ])
  expect(added).toEqual([{ role: 'assistant', text: 'One, two, three.', calls: [] }])
})

test('a hundred calls that cannot be read are reported in few words', async () => {
  const bad = Array.from({ length: 100 }, (_, at) => ({
    type: 'bad-call' as const,
    name: 'edit_file',
    reason: `the arguments could not be read at ${at}: ${'x'.repeat(300)}`,
  }))
  const model = scriptedModel([says('Here they are:'), ...bad], [says('Done.')])

  const { added } = await bareRun({ models: [model] })

  expect(added[1]).toMatchObject({ role: 'user', origin: 'note' })
  expect(added[1]?.text.length).toBeLessThan(800)
})

test.each([true, false])(
  'an answer that goes on is printed without a break (prefill: %j)',
  async (prefill) => {
    const model = scriptedModel([says('One, two, thr'), finish('length')], [says('ee.')])
    const printed: string[] = []
    const io = { out: (text: string) => void printed.push(text), err: () => {} }
    const print = createPrinter(io, { json: false, verbose: false, colour: false, live: true })

    const { events } = await bareRun({ models: [model], capabilities: { prefill } })
    for (const event of events) print(event as SessionEvent)

    expect(printed.join('')).toBe('One, two, three.\n')
  },
)
