/**
 * Stage two of a compaction: what earlier messages established, as one user message. Built from calls and their typed
 * results, not by a model, so it costs nothing and invents nothing. A later digest takes up the lines of an earlier
 * one.
 */
import type { Message, ToolCall, ToolMessage, UserMessage } from '../protocol/message.ts'
import { clip } from '../lib/text.ts'
import { gistOf, labelCall, oneLine } from './call-label.ts'
import { type CountTokens, sum } from './count.ts'
import { afterChange, type Fact, factOf, fromLine, isChange, mergeFacts, toldFact } from './fact.ts'
import { failureKey, outcomeOf, readFailures } from './outcome.ts'
import { ownWords } from './own-words.ts'
import { readStub } from './stub.ts'

export type DigestInput = {
  /** What leaves the context, oldest first. */
  readonly messages: readonly Message[]
  /** What stays behind the digest: what it says is known already, and may have changed what was known before. */
  readonly kept?: readonly Message[]
  /** For everything but the first task, which is kept in full. */
  readonly limit: number
  readonly count: CountTokens
}

export function toDigest({ messages, kept = [], limit, count }: DigestInput): UserMessage {
  const known = collect(messages)
  for (const { result, call } of resultsIn(kept)) takeLater(known, result, call)
  const task = known.task === undefined ? [] : `${TASK}${known.task}`.replaceAll('\n', '\n  ').split('\n')
  const tail = failureLines(known.failures)
  const room = limit - count([HEADER, ...tail].join('\n'))
  return {
    role: 'user',
    text: [HEADER, ...task, ...factLines(known, room, count), ...tail].join('\n'),
    origin: 'digest',
  }
}

const HEADER = '[digest] Earlier messages were removed. What they established, oldest first:'
const TASK = 'Task: '
const LAST_ERROR = 'Last error: '
const OPEN = 'Failed and still open: '
const LEFT_OUT = /^- \((\d+) older lines? left out\)$/

/** Filled message by message; an entry that is set again moves to the end. */
type Known = {
  /** The first words of the person, whole. */
  task: string | undefined
  leftOut: number
  readonly facts: Map<string, Fact>
  /** By command or by tool and target, the newest last. */
  readonly failures: Map<string, string>
}

function collect(messages: readonly Message[]): Known {
  const known: Known = { task: undefined, leftOut: 0, facts: new Map(), failures: new Map() }
  const calls = callsIn(messages)
  for (const message of messages) {
    if (message.role === 'user') takeUser(known, message)
    else if (message.role === 'tool') takeResult(known, message, calls.get(message))
    else if (message.calls.length === 0)
      addFact(known, toldFact('answered', clip(oneLine(message.text), 160)))
  }
  return known
}

/** Which call each result answers. Servers number calls anew in each reply: ids may occur twice. */
function callsIn(messages: readonly Message[]): ReadonlyMap<Message, ToolCall> {
  const open = new Map<string, ToolCall>()
  const calls = new Map<Message, ToolCall>()
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of message.calls) open.set(call.id, call)
    const call = message.role === 'tool' ? open.get(message.callId) : undefined
    if (call) calls.set(message, call)
  }
  return calls
}

function resultsIn(messages: readonly Message[]): { result: ToolMessage; call: ToolCall }[] {
  const calls = callsIn(messages)
  return messages.flatMap((message) => {
    const call = calls.get(message)
    return message.role === 'tool' && call ? [{ result: message, call }] : []
  })
}

/** A success that is still in the conversation closes what the digest would call open. */
function takeLater(known: Known, result: ToolMessage, call: ToolCall): void {
  const label = labelCall(call, result.text)
  if (outcomeOf(result, call, label) !== 'done') return
  known.failures.delete(failureKey(label))
  if (isChange(label)) takeChange(known, label.target)
}

/** Later requests may narrow the first one, so they get more room than what was done. */
const LONGEST_REQUEST = 400

function takeUser(known: Known, { origin, text }: UserMessage): void {
  if (origin === 'note') return
  if (origin === 'digest') takeDigest(known, text)
  else if (known.task === undefined) known.task = ownWords(text)
  else addFact(known, toldFact('asked', clip(oneLine(ownWords(text)), LONGEST_REQUEST)))
}

function takeDigest(known: Known, text: string): void {
  const task = /^Task: (.*(?:\n {2}.*)*)$/m.exec(text)
  if (task) known.task ??= task[1]?.replaceAll('\n  ', '\n')
  const rest = task ? text.replace(task[0], '') : text
  for (const line of rest.split('\n')) takeLine(known, line)
}

function takeLine(known: Known, line: string): void {
  const leftOut = LEFT_OUT.exec(line)
  if (leftOut) known.leftOut += Number(leftOut[1])
  else if (line.startsWith('- ')) addFact(known, fromLine(line.slice(2)))
  else if (line.startsWith(OPEN) || line.startsWith(LAST_ERROR)) {
    const rest = line.slice(line.startsWith(OPEN) ? OPEN.length : LAST_ERROR.length)
    for (const [about, detail] of readFailures(rest)) addFailure(known, about, detail)
  } else if (line.trim() !== '' && line !== HEADER) {
    // A summary that a model wrote.
    addFact(known, toldFact('noted', clip(line.replace(/^\[digest\] /, ''), 160)))
  }
}

function takeResult(known: Known, result: ToolMessage, call: ToolCall | undefined): void {
  if (!call) return
  const label = labelCall(call, result.text)
  const about = failureKey(label)
  const outcome = outcomeOf(result, call, label)
  if (outcome === 'failed') {
    // A run that failed replaces what an earlier one of the same command said.
    known.facts.delete(`ran ${about}`)
    addFailure(known, about, readStub(result.text)?.gist ?? gistOf(label.name, result.text))
    return
  }
  if (outcome === 'unclear') return
  known.failures.delete(about)
  if (isChange(label)) takeChange(known, label.target)
  const fact = factOf(label, result.text)
  if (fact) addFact(known, fact)
}

/** Facts about the file are as old as they are now, and earlier tries to change it need no word. */
function takeChange({ facts, failures }: Known, path: string): void {
  for (const [key, fact] of facts) {
    const now = afterChange(fact, path)
    if (now) facts.set(key, now)
    else facts.delete(key)
  }
  for (const about of failures.keys())
    if (/^(?:edit_file|write_file|apply_patch) /.test(about) && about.endsWith(` ${path}`))
      failures.delete(about)
}

function addFact({ facts }: Known, fact: Fact): void {
  const merged = mergeFacts(facts.get(fact.key), fact)
  facts.delete(fact.key)
  facts.set(fact.key, merged)
}

function addFailure({ failures }: Known, about: string, detail: string): void {
  const known = detail || (failures.get(about) ?? '')
  failures.delete(about)
  failures.set(about, known)
}

const MOST_OPEN = 6

function failureLines(failures: ReadonlyMap<string, string>): string[] {
  const [last, ...older] = [...failures].toReversed()
  if (!last) return []
  const open = older
    .slice(0, MOST_OPEN)
    .map(([about]) => about)
    .join('; ')
  const [about, detail] = last
  return [...(open ? [`${OPEN}${open}`] : []), `${LAST_ERROR}${detail ? `${about}: ${detail}` : about}`]
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
