/**
 * Stage two of a compaction: what earlier messages established, as one user message. Built from calls and their typed
 * results, not by a model, so it costs nothing and invents nothing. A later digest takes up the lines of an earlier one.
 */
import type { Message, ToolCall, ToolMessage, UserMessage } from '../protocol/message.ts'
import { clip } from '../lib/text.ts'
import { gistOf, labelCall, oneLine } from './call-label.ts'
import { type CountTokens, sum } from './count.ts'
import { type Fact, fromLine, factOf, isChange, splitLine, staleKeys, toFact } from './fact.ts'
import { readShrunk } from './shrink.ts'

export type DigestInput = {
  /** What leaves the context, oldest first. */
  readonly messages: readonly Message[]
  /** The person's words, where they stay in front of the digest: a reminder of them is enough. */
  readonly words?: string
  readonly limit: number
  readonly count: CountTokens
}

export function toDigest({ messages, words, limit, count }: DigestInput): UserMessage {
  const known = collect(messages)
  const goal = known.goal === undefined ? clip(ownWords(words ?? ''), 80) : clip(ownWords(known.goal), 240)
  const head = [HEADER, ...(goal ? [`${GOAL}${goal}`] : [])]
  const tail = failureLines(known.failures)
  const room = limit - count([...head, ...tail].join('\n'))
  return {
    role: 'user',
    text: [...head, ...factLines(known, room, count), ...tail].join('\n'),
    origin: 'digest',
  }
}

const HEADER = '[digest] Earlier messages were removed. What they established, oldest first:'
const GOAL = 'Goal: '
const LAST_ERROR = 'Last error: '
const OPEN = 'Failed and still open: '
const LEFT_OUT = /^- \((\d+) older lines? left out\)$/

/** Filled message by message; an entry that is set again moves to the end. */
type Known = {
  goal: string | undefined
  leftOut: number
  readonly facts: Map<string, Fact>
  /** By call and target, the newest last. */
  readonly failures: Map<string, string>
}

function collect(messages: readonly Message[]): Known {
  const known: Known = { goal: undefined, leftOut: 0, facts: new Map(), failures: new Map() }
  const calls = new Map<string, ToolCall>()
  for (const message of messages) {
    if (message.role === 'user') takeUser(known, message)
    else if (message.role === 'tool') takeResult(known, message, calls.get(message.callId))
    else if (message.calls.length === 0)
      addFact(known, toFact('answered', '', clip(oneLine(message.text), 160)))
    else for (const call of message.calls) calls.set(call.id, call)
  }
  return known
}

function takeUser(known: Known, { origin, text }: UserMessage): void {
  if (origin === 'note') return
  if (origin === 'digest') for (const line of text.split('\n')) takeLine(known, line)
  else if (known.goal === undefined) known.goal = text
  else addFact(known, toFact('asked', '', clip(ownWords(text), 160)))
}

function takeLine(known: Known, line: string): void {
  const leftOut = LEFT_OUT.exec(line)
  if (leftOut) known.leftOut += Number(leftOut[1])
  else if (line.startsWith('- ')) addFact(known, fromLine(line.slice(2)))
  else if (line.startsWith(GOAL)) known.goal ??= line.slice(GOAL.length)
  else if (line.startsWith(OPEN)) {
    for (const about of line.slice(OPEN.length).split('; ')) addFailure(known, about, '')
  } else if (line.startsWith(LAST_ERROR)) {
    const [about, detail = ''] = splitLine(line.slice(LAST_ERROR.length))
    addFailure(known, about, detail)
  } else if (line.trim() !== '' && line !== HEADER) {
    // A summary that a model wrote.
    addFact(known, toFact('noted', '', clip(line.replace(/^\[digest\] /, ''), 160)))
  }
}

function takeResult(known: Known, result: ToolMessage, call: ToolCall | undefined): void {
  if (!call) return
  const label = labelCall(call)
  const about = `${label.name} ${label.target}`.trim()
  // A change that failed has changed nothing: what was known stays true.
  const isNews = result.ok || !isChange(label)
  if (isNews) for (const key of staleKeys(label)) known.facts.delete(key)
  if (!result.ok) {
    addFailure(known, about, readShrunk(result.text)?.gist ?? gistOf(label.name, result.text))
    return
  }
  known.failures.delete(about)
  if (isChange(label)) forgetFailures(known, label.target)
  addFact(known, factOf(label, result.text))
}

/** A file that could be changed in the end needs no word about the tries before. */
function forgetFailures(known: Known, path: string): void {
  for (const about of known.failures.keys()) {
    if (/^(?:edit_file|write_file|apply_patch) /.test(about) && about.endsWith(` ${path}`)) {
      known.failures.delete(about)
    }
  }
}

function addFact({ facts }: Known, fact: Fact): void {
  facts.delete(fact.key)
  facts.set(fact.key, fact)
}

function addFailure({ failures }: Known, about: string, detail: string): void {
  failures.delete(about)
  failures.set(about, detail)
}

function failureLines(failures: ReadonlyMap<string, string>): string[] {
  const [last, ...older] = [...failures].toReversed()
  if (!last) return []
  const open = clip(older.map(([about]) => about).join('; '), 200)
  return [...(open ? [`${OPEN}${open}`] : []), `${LAST_ERROR}${toFact(last[0], '', last[1]).line}`]
}

/** The heaviest and newest facts that fit, in the order in which they became known. */
function factLines({ facts, leftOut }: Known, room: number, count: CountTokens): string[] {
  const sized = [...facts.values()].map((fact) => ({ fact, tokens: count(`- ${fact.line}\n`) }))
  const dropFirst = sized.toSorted((a, b) => a.fact.weight - b.fact.weight)
  const dropped = new Set<Fact>()
  let total = sum(sized.map(({ tokens }) => tokens))
  for (const { fact, tokens } of dropFirst) {
    if (total <= room - LEFT_OUT_TOKENS) break
    dropped.add(fact)
    total -= tokens
  }
  const missing = leftOut + dropped.size
  const kept = sized.filter(({ fact }) => !dropped.has(fact)).map(({ fact }) => `- ${fact.line}`)
  return missing === 0 ? kept : [`- (${missing} older line${missing === 1 ? '' : 's'} left out)`, ...kept]
}

const LEFT_OUT_TOKENS = 10

/** The person's words without what was put in front of them. */
const ownWords = (text: string): string =>
  oneLine(text.replace(PRECEDING, '').replace(/^\[exec output\]\n.*\n\n/s, ''))

/** Paragraphs of sources, by how they begin: a line in brackets, what the last session was about, the plan. */
const PRECEDING =
  /^(?:(?:\[(?!Image: |exec output\])[^\n]*\]|Last session \(|Plan \()[^\n]*\n(?:[^\n]+\n)*\n+)+/
