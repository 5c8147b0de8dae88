/** Runs the long task against a window and says what became of it: sizes, compactions, and what its requests still hold. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createApp } from '../../../src/app/open.ts'
import type { SessionEvent } from '../../../src/protocol/event.ts'
import type { Message } from '../../../src/protocol/message.ts'
import type { Model, ModelRequest } from '../../../src/protocol/model.ts'
import { scriptedModel, type ScriptedModel } from '../../../src/provider/scripted.ts'
import { requestTokens } from '../tokens.ts'
import { falseLines, type TracedCall } from './digest-check.ts'
import { longFacts, longFiles } from './project.ts'
import { longConstraints, longPrompt, longScript } from './script.ts'

export type LongReport = {
  readonly reason: string
  readonly turns: number
  readonly compactions: number
  readonly largest: number
  readonly mean: number
  /** Constants of the files that the last request neither holds nor says where to find. */
  readonly lostFacts: readonly string[]
  /** Lines of digests that the trace does not bear out. */
  readonly falseLines: readonly string[]
  /** Constraint and turn where one is missing. */
  readonly missing: readonly string[]
}

export async function runLongTask(window: number, options: { readonly usage: boolean }): Promise<LongReport> {
  const home = await mkdtemp(join(tmpdir(), 'covey-long-'))
  const cwd = await mkdtemp(join(tmpdir(), 'covey-long-'))
  try {
    for (const [path, text] of Object.entries(longFiles)) {
      await mkdir(dirname(join(cwd, path)), { recursive: true })
      await writeFile(join(cwd, path), text)
    }
    const model = scriptedModel(...longScript)
    const events = await runOnce(options.usage ? reporting(model) : model, { window, home, cwd })
    return report(model.asked, events)
  } finally {
    await rm(home, { recursive: true })
    await rm(cwd, { recursive: true })
  }
}

/** As a server does: says with each reply how long the prompt was by its own tokenizer. */
const reporting = (model: ScriptedModel): Model => ({
  name: model.name,
  async *stream(request, signal) {
    yield* model.stream(request, signal)
    yield { type: 'usage', usage: { prompt: requestTokens(request), completion: 50 } }
  },
})

type Where = { readonly window: number; readonly home: string; readonly cwd: string }

async function runOnce(model: Model, { window, home, cwd }: Where): Promise<readonly SessionEvent[]> {
  const env = { PATH: process.env['PATH'], HOME: home }
  const app = await createApp({
    env,
    cwd,
    model,
    permission: 'bypass',
    incognito: true,
    window,
    flags: { 'engine.evidence': 'false' },
  })
  const session = await app.openSession({ resume: 'new', canAsk: false })
  const stop = new AbortController()
  const events: SessionEvent[] = []
  const stream = session.events({ signal: stop.signal })
  await session.prompt(longPrompt)
  for await (const event of stream) {
    events.push(event)
    if (event.type === 'run-end') break
  }
  stop.abort()
  await session.close()
  await app.close()
  return events
}

function report(asked: readonly ModelRequest[], events: readonly SessionEvent[]): LongReport {
  const sizes = asked.map(requestTokens)
  const trace = traceOf(events)
  const end = events.find((event) => event.type === 'run-end')
  const missing = asked.flatMap((request, at) => {
    const text = textOf(request.messages)
    return longConstraints.filter((words) => !text.includes(words)).map((words) => `turn ${at + 1}: ${words}`)
  })
  return {
    reason: end?.type === 'run-end' ? end.reason : 'none',
    turns: asked.length,
    compactions: events.filter(({ type }) => type === 'compaction').length,
    largest: Math.max(...sizes),
    mean: Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length),
    lostFacts: lostIn(textOf(asked.at(-1)?.messages ?? [])),
    falseLines: digestsIn(asked).flatMap(({ text, turn }) =>
      falseLines(
        text,
        trace.filter((call) => call.turn < turn),
      ),
    ),
    missing,
  }
}

const textOf = (messages: readonly Message[]): string => messages.map(({ text }) => text).join('\n')

/** A fact is kept where its line is there, or where its file is named with lines that hold it. */
const lostIn = (text: string): string[] =>
  longFacts
    .filter(
      (fact) =>
        !text.includes(fact.text) &&
        !rangesOf(text, fact.path).some(([from, to]) => from <= fact.line && fact.line <= to),
    )
    .map((fact) => fact.text)

function rangesOf(text: string, path: string): (readonly [number, number])[] {
  const ranges = [...text.matchAll(/(\S+) lines ([\d, -]+)/g)].filter(([, named]) => named === path)
  return ranges.flatMap(([, , list = '']) =>
    list.split(', ').map((range) => {
      const [from = 0, to = from] = range.split('-').map(Number)
      return [from, to] as const
    }),
  )
}

function digestsIn(asked: readonly ModelRequest[]): { text: string; turn: number }[] {
  const seen = new Map<string, number>()
  for (const [at, { messages }] of asked.entries())
    for (const message of messages)
      if (message.role === 'user' && message.origin === 'digest' && !seen.has(message.text))
        seen.set(message.text, at + 1)
  return [...seen].map(([text, turn]) => ({ text, turn }))
}

function traceOf(events: readonly SessionEvent[]): readonly TracedCall[] {
  let turn = 0
  const open = new Map<string, { readonly name: string; readonly input: Record<string, unknown> }>()
  return events.flatMap((event) => {
    if (event.type === 'turn-start') turn = event.turn
    if (event.type === 'tool-start') {
      const { id, name, input } = event.call
      open.set(id, { name, input: JSON.parse(input) as Record<string, unknown> })
    }
    if (event.type !== 'tool-end') return []
    const call = open.get(event.callId)
    return call ? [{ turn, name: event.name, input: call.input, ok: event.ok, text: event.text }] : []
  })
}
