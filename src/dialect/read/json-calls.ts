/**
 * Calls inside JSON, in every spelling families and small models use: `{name, arguments}`, `{tool_calls: [...]}`,
 * `{function: {...}}`, `{tool: "x", ...arguments}`, `{"x": {...arguments}}`. Arguments keep the bytes they were written
 * with as long as those were valid.
 */
import { isObject, jsonParts } from '../../lib/json.ts'
import type { Draft } from './call.ts'
import { isProblem } from './call.ts'
import { endsInString } from './json-scan.ts'
import type { ToolBook } from './tool-book.ts'
import { isWriting, propertiesOf, requiredOf } from './tool-book.ts'

export const NAME_KEYS = [
  'name',
  'tool_name',
  'tool',
  'function_name',
  'recipient_name',
  'function',
  'action',
]
const ARGUMENT_KEYS = [
  'arguments',
  'parameters',
  'args',
  'input',
  'params',
  'tool_input',
  'action_input',
  'kwargs',
]
const LIST_KEYS = ['tool_calls', 'tool_call', 'function_calls', 'function_call', 'tool_uses', 'calls']
const ID_KEYS = ['id', 'tool_call_id', 'call_id']
/** The first key of an object that may be a call. */
export const CALL_KEYS: readonly string[] = [...NAME_KEYS, ...ARGUMENT_KEYS, ...LIST_KEYS, ...ID_KEYS, 'type']

/** `{"name": <function-name>, ...}`, `{"path": ...}`: the form of a call, not a call. */
export function isPlaceholder(text: string): boolean {
  if (text.length > 2000 || !/[:,[{]\s*(?:\.\.\.|…|<[\w][\w -]*>)\s*[,}\]]/.test(text)) return false
  const withoutStrings = text.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  return /[:,[{]\s*(?:\.\.\.|…|<[\w][\w -]*>)\s*[,}\]]/.test(withoutStrings)
}

export type CallRules = {
  readonly tools: ToolBook
  /** Only tools that exist, and only with their arguments: for JSON that carries no marker of a call. */
  readonly known: boolean
}

/** The calls in `text`, or nothing when it holds none. */
export function callsInJson(text: string, rules: CallRules): Draft[] | undefined {
  const reading = rules.tools.json.read(text)
  if (!reading.ok) return undefined
  const drafts = callsIn({ value: reading.value, ...(!reading.repaired && { text }) }, rules)
  const truncated = reading.repaired && endsInString(text)
  return truncated ? drafts?.map((draft) => refuseWriting(draft, rules.tools)) : drafts
}

/** The repair closed a string. For a tool that writes, the part that is missing would be lost without a trace. */
function refuseWriting(draft: Draft, tools: ToolBook): Draft {
  if (isProblem(draft) || !isWriting(tools.meant(draft.name))) return draft
  const problem = `The arguments of ${draft.name} end in the middle of a string, so nothing was done. Send the whole call again.`
  return { name: draft.name, problem }
}

/** A value and, where it was valid as written, its text. */
type Written = { readonly value: unknown; readonly text?: string }

function callsIn(written: Written, rules: CallRules): Draft[] | undefined {
  const { value } = written
  if (Array.isArray(value)) return fromList(elementsOf(written), rules)
  if (!isObject(value)) return undefined
  const listKey = LIST_KEYS.find((key) => isObject(value[key]) || Array.isArray(value[key]))
  if (listKey !== undefined) return callsIn(member(written, listKey), rules)
  const call = isObject(value['function'])
    ? fromFunction(member(written, 'function'), value, rules)
    : (fromNamed(written, value, rules) ?? fromKeyed(written, value, rules))
  return call ? [call] : undefined
}

function fromList(items: readonly Written[], rules: CallRules): Draft[] | undefined {
  const drafts: Draft[] = []
  for (const item of items) {
    const found = callsIn(item, rules)
    if (!found) return undefined
    drafts.push(...found)
  }
  return drafts.length > 0 ? drafts : undefined
}

function fromFunction(inner: Written, outer: Record<string, unknown>, rules: CallRules): Draft | undefined {
  const value = inner.value as Record<string, unknown>
  return fromNamed(inner, { ...value, ...idOf(outer) }, rules)
}

function fromNamed(written: Written, value: Record<string, unknown>, rules: CallRules): Draft | undefined {
  const nameKey = NAME_KEYS.find((key) => typeof value[key] === 'string')
  if (nameKey === undefined) return undefined
  const name = value[nameKey] as string
  const argumentKey = ARGUMENT_KEYS.find((key) => value[key] !== undefined)
  const tool = argumentKey === undefined ? rules.tools.find(name) : rules.tools.meant(name)
  if (rules.known && !tool) return undefined
  if (argumentKey !== undefined) {
    const json = textOf(member(written, argumentKey))
    return isArguments(value[argumentKey]) ? { name, ...idOf(value), json } : undefined
  }
  const isOwn = (key: string): boolean => key === 'type' || ID_KEYS.includes(key)
  const rest = Object.entries(value).filter(
    ([key]) => key !== nameKey && (!isOwn(key) || Object.hasOwn(propertiesOf(tool), key)),
  )
  const complete = tool ? requiredOf(tool).every((key) => key in value) : rest.length === 0
  if (rules.known && !complete) return undefined
  return { name, ...idOf(value), json: JSON.stringify(Object.fromEntries(rest)) }
}

/** `{"read_file": {"path": "a"}}`: the name is the key. */
function fromKeyed(written: Written, value: Record<string, unknown>, rules: CallRules): Draft | undefined {
  const [name, ...more] = Object.keys(value)
  if (name === undefined || more.length > 0 || !isObject(value[name])) return undefined
  const plausible = rules.tools.find(name) !== undefined || (!rules.known && !CALL_KEYS.includes(name))
  return plausible ? { name, json: textOf(member(written, name)) } : undefined
}

const isArguments = (value: unknown): boolean =>
  (isObject(value) && !isSchema(value)) || typeof value === 'string' || value === null

/** A model that repeats the list of tools it was given does not call them. */
const isSchema = (value: Record<string, unknown>): boolean =>
  value['type'] === 'object' && isObject(value['properties'])

function idOf(value: Record<string, unknown>): { id?: string } {
  const id = ID_KEYS.map((key) => value[key]).find((found) => typeof found === 'string')
  return typeof id === 'string' ? { id } : {}
}

function member({ value, text }: Written, key: string): Written {
  const inner = isObject(value) ? value[key] : undefined
  const part = text === undefined ? undefined : jsonParts(text).findLast((candidate) => candidate.key === key)
  return { value: inner, ...(part && { text: part.text }) }
}

function elementsOf({ value, text }: Written): Written[] {
  const parts = text === undefined ? [] : jsonParts(text)
  return (value as unknown[]).map((item, index) => {
    const part = parts[index]
    return { value: item, ...(part && { text: part.text }) }
  })
}

const textOf = ({ value, text }: Written): string => text ?? JSON.stringify(value)
