/**
 * Questions to the client of the API, and how they are answered. Nano remembers nothing between two requests, so the question itself is
 * in the conversation: a "yes" behind it takes up the request before it, and the call is made if the very same question comes of it again.
 * Pure.
 */
import type { Message } from '../../protocol/message.ts'

export const HOW_TO_ANSWER = 'Answer “yes” to do it, or say what you want instead.'

/** As nano writes it. */
type Call = { readonly name: string; readonly input: Readonly<Record<string, unknown>> }

export const questionOf = (call: Call, why: string): string =>
  `${toQuestion(call)}\n\n${why}. ${HOW_TO_ANSWER}`

/** Everything the call would do is in it: what is agreed to is what was shown. */
function toQuestion({ name, input }: Call): string {
  const { path, from, to, command, content, append, overwrite, old, new: written, all } = input
  const file = `\`${String(path)}\``
  const texts = QUESTIONS[name]
  if (texts === 'run') return `Shall I run this?\n\n${block(command)}`
  if (texts === 'write') {
    const where = append === true ? `at the end of ${file}` : `to ${file}`
    const lost = overwrite === true ? ', in place of what it contains now' : ''
    return `Shall I write this ${where}${lost}?\n\n${block(content)}`
  }
  if (texts === 'edit') {
    const where = all === true ? `everywhere in ${file}` : `in ${file}`
    if (written === '') return `Shall I remove this ${where}?\n\n${block(old)}`
    return `Shall I change this ${where}?\n\n${block(old)}\n\nto\n\n${block(written)}`
  }
  if (texts === 'transfer')
    return `Shall I ${name === 'copy_file' ? 'copy' : 'move'} \`${String(from)}\` to \`${String(to)}\`?`
  if (texts !== undefined) return `Shall I ${texts} ${file}?`
  return `Shall I call ${name}?\n\n${block(JSON.stringify(input, undefined, 2))}`
}

const QUESTIONS: Readonly<Record<string, string>> = {
  run_command: 'run',
  write_file: 'write',
  edit_file: 'edit',
  copy_file: 'transfer',
  move_file: 'transfer',
  delete_file: 'delete',
  make_folder: 'make the folder',
}

function block(value: unknown): string {
  const text = String(value)
  const fence = text.includes('```') ? '````' : '```'
  return [fence, text.replace(/\n$/, ''), fence].join('\n')
}

export type Answered = {
  /** The place of the request that the questions were about. */
  readonly at: number
  readonly confirmed: readonly string[]
  /** The last question was answered with no. */
  readonly isDeclined: boolean
}

/** The request behind the last words of the person; earlier ones where these only answer a question. */
export function answeredIn(messages: readonly Message[]): Answered {
  const confirmed: string[] = []
  let at = lastAsked(messages, messages.length)
  const isDeclined = NO.test(wordsAt(messages, at)) && questionBefore(messages, at) !== undefined
  for (;;) {
    const question = questionBefore(messages, at)
    const earlier = lastAsked(messages, at)
    const isAnswer = YES.test(wordsAt(messages, at)) || (isDeclined && confirmed.length === 0)
    if (question === undefined || earlier < 0 || !isAnswer || confirmed.length >= MOST_ANSWERS)
      return { at, confirmed: isDeclined ? [] : confirmed, isDeclined }
    confirmed.push(question)
    at = earlier
  }
}

/** A conversation that only says yes has lost its way. */
const MOST_ANSWERS = 16

const lastAsked = (messages: readonly Message[], before: number): number =>
  messages.slice(0, Math.max(0, before)).findLastIndex(isPerson)

const isPerson = (message: Message): boolean => message.role === 'user' && message.origin === undefined

const wordsAt = (messages: readonly Message[], at: number): string => messages[at]?.text.trim() ?? ''

function questionBefore(messages: readonly Message[], at: number): string | undefined {
  const before = messages[at - 1]
  return before?.role === 'assistant' && before.calls.length === 0 && before.text.includes(HOW_TO_ANSWER)
    ? plain(before.text)
    : undefined
}

export const isConfirmed = (question: string, confirmed: readonly string[] = []): boolean =>
  confirmed.some((text) => text.includes(plain(question)))

/** Clients may trim and wrap what they send back. */
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const YES =
  /^(?:(?:yes|yep|yeah|yup|y|sure|ok|okay|please|do (?:it|that|so)|go(?: ahead| on| for it)?|correct|right|exactly|confirm(?:ed)?|approved?|proceed|make it so|👍)[\s,.!]*)+(?:thanks?|thank you|thx)?[\s.!]*$/iu
const NO =
  /^(?:(?:no|nope|nah|n|don[’']?t|do not|please|stop|cancel|not now|never ?mind|thanks?|thank you)[\s,.!]*)+$/i
