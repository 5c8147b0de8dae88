/**
 * How a conversation and a classification become a prompt for nano. Text from outside is always a plain segment, so
 * that a call or a result cannot be forged by typing one. Must equal nano/format.py: the model knows no other prompt.
 */
import type { Segment } from '../../embedded/segment.ts'

/** How code shows a result: nano picks one of these, and never words of its own. */
export const forms = ['list', 'text', 'count', 'exists', 'exit', 'done', 'error'] as const
export type Form = (typeof forms)[number]

/** Why it refuses. */
export const reasons = ['too-hard', 'no-tool', 'chat', 'unclear', 'not-asked'] as const
export type Reason = (typeof reasons)[number]

const START = '<|im_start|>'
const END = '<|im_end|>'
export const CALL = '<tool_call>'
export const CALL_END = '</tool_call>'
export const REFUSE = '<|form:refuse|>'

export const formToken = (form: Form): string => `<|form:${form}|>`
export const reasonToken = (reason: Reason): string => `<|reason:${reason}|>`
export const fieldToken = (field: string): string => `<|${field}|>`
export const labelToken = (field: string, label: string): string => `<|${field}:${label}|>`

/** A command and what the project calls it; an empty label where the command speaks for itself. */
export type Script = { readonly label: string; readonly command: string }

/** A line of a file that the request may be about. */
export type ListedLine = {
  readonly path: string
  /** From 1. */
  readonly number: number
  /** Without white space around it. */
  readonly text: string
}

/** What an argument may be copied from besides the request. */
export type Sources = {
  readonly paths: readonly string[]
  readonly scripts: readonly Script[]
  /** Background jobs and stored results, each with what it is. */
  readonly ids: readonly { readonly id: string; readonly what: string }[]
  readonly lines: readonly ListedLine[]
}

export const noSources: Sources = { paths: [], scripts: [], ids: [], lines: [] }

export const MAX_REQUEST = 3000
const CLASSIFY_HEAD = 1000
const CLASSIFY_TAIL = 500
const RESULT_HEAD = 900
const RESULT_TAIL = 300

export const systemSegments = (signatures: readonly string[]): Segment[] => [
  control(`${START}system\n`),
  plain(signatures.join('\n')),
  control(`${END}\n`),
]

export const userSegments = (request: string, sources: Sources): Segment[] => [
  control(`${START}user\n`),
  plain(request),
  ...sourceSegments(sources),
  control(`${END}\n${START}assistant\n`),
]

/** `body` is what stands between the tags, byte for byte as the model wrote it. */
export const callSegments = (body: string): Segment[] => [control(CALL), plain(body), control(CALL_END)]

export type ShownResult = {
  readonly ok: boolean
  readonly text: string
  /** What is to be done next, where the request has more than one clause. */
  readonly clause?: string
  readonly sources?: Sources
}

export const resultSegments = ({ ok, text, clause = '', sources = noSources }: ShownResult): Segment[] => [
  control(`${END}\n${START}user\n<tool_response>\n${ok ? 'ok' : 'failed'}\n`),
  plain(text),
  control('\n</tool_response>'),
  ...(clause === '' ? [] : [control('\n'), plain(clause)]),
  ...sourceSegments(sources),
  control(`${END}\n${START}assistant\n`),
]

/** Each label is read from the logits behind its field's token; the tokens of the fields are put behind this. */
export const classifySegments = (request: string): Segment[] => [
  control('<|classify|>'),
  plain(cut(request, CLASSIFY_HEAD, CLASSIFY_TAIL)),
]

function sourceSegments({ paths, scripts, ids, lines: listed }: Sources): Segment[] {
  const blocks = [
    { token: '<|paths|>', lines: paths },
    {
      token: '<|scripts|>',
      lines: scripts.map(({ label, command }) => (label === '' ? command : `${label}=${command}`)),
    },
    { token: '<|ids|>', lines: ids.map(({ id, what }) => `${id}=${what}`) },
    {
      token: '<|lines|>',
      lines: listed.map(({ path, text }, index) => `${index + 1} ${path}: ${text}`),
    },
  ]
  return blocks
    .filter(({ lines }) => lines.length > 0)
    .flatMap(({ token, lines }) => [control(`\n${token}`), plain(lines.map((line) => `\n${line}`).join(''))])
}

const control = (text: string): Segment => ({ text, control: true })
const plain = (text: string): Segment => ({ text, control: false })

/** A call as nano writes it between its tags: spaces after separators, characters beyond ASCII as they are. */
export function callBody(name: string, input: Readonly<Record<string, unknown>>): string {
  return `\n{"name": ${JSON.stringify(name)}, "arguments": ${spacedJson(input)}}\n`
}

function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spacedJson(inner)}`)
  return `{${members.join(', ')}}`
}

export const cutResult = (text: string): string => cut(text, RESULT_HEAD, RESULT_TAIL)

/** In characters, not in halves of them. */
export function cut(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text
  const characters = Array.from(text)
  if (characters.length <= head + tail) return text
  const end = tail === 0 ? '' : characters.slice(-tail).join('')
  return `${characters.slice(0, head).join('')}\n[cut]\n${end}`
}
