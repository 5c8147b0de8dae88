/** What a call was about, in a few words: for the line that stands for an old result, and for the digest. */
import type { ToolCall } from '../protocol/message.ts'
import { plainCommand } from '../lib/command-text.ts'
import { isObject, readJson } from '../lib/json.ts'
import { clip } from '../lib/text.ts'
import { correctedPath } from './result-text.ts'
import { innerCall } from '../lib/inner-call.ts'

export type CallLabel = {
  readonly name: string
  /** The path, command or pattern; empty when the call names none. A command stands without pipes and redirections. */
  readonly target: string
  readonly input: Readonly<Record<string, unknown>>
}

/**
 * A tool that was reached through `call_tool` is called by its own name. The result knows best which path it is about:
 * one that was corrected is named there.
 */
export function labelCall(call: ToolCall, result = ''): CallLabel {
  const { name, input } = innerCall(call)
  return toLabel(name, toObject(input), result)
}

function toLabel(name: string, input: Record<string, unknown>, result: string): CallLabel {
  const isCommand = name === 'run_command' && typeof input['command'] === 'string'
  const target = isCommand ? oneLine(plainCommand(String(input['command']))) : undefined
  return { name, target: target === undefined ? pathOf(input, result) : clip(target, LONGEST), input }
}

function pathOf(input: Readonly<Record<string, unknown>>, result: string): string {
  const target = targetOf(input)
  const isPath = typeof input['path'] === 'string' && target === clip(oneLine(input['path']), LONGEST)
  return (isPath ? correctedPath(result) : undefined) ?? target
}

const LONGEST = 100

function toObject(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value
  const reading = typeof value === 'string' ? readJson(value) : undefined
  return reading?.ok && isObject(reading.value) ? reading.value : {}
}

/** In the order in which they say most about a call. */
const TELLING = ['command', 'pattern', 'query', 'path', 'paths', 'url', 'id', 'category', 'question']

function targetOf(input: Readonly<Record<string, unknown>>): string {
  const telling = TELLING.map((key) => input[key]).find((value) => value !== undefined)
  const value = Array.isArray(telling) ? telling.join(' ') : telling
  return typeof value === 'string' ? clip(oneLine(value), LONGEST) : ''
}

/** The first of these inputs that is text. */
export function textInput({ input }: CallLabel, keys: readonly string[]): string {
  const value = keys.map((key) => input[key]).find((found) => typeof found === 'string')
  return typeof value === 'string' ? value : ''
}

export const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ')

/** What a result says in one line: the end of a command's output, the start of anything else. */
export function gistOf(name: string, text: string, length = 160): string {
  const isOutput = name === 'run_command'
  const near = isOutput ? text.slice(-LOOKED_AT) : text.slice(0, LOOKED_AT)
  const lines = near.split('\n').filter((line) => line.trim() !== '' && !isAside(line))
  const line = oneLine(lines.join('\n'))
  return isOutput ? clipStart(line, length) : clip(line, length)
}

/** More than a gist needs with the asides, far less than a result may hold. */
const LOOKED_AT = 1000

/** Lines that speak about the result rather than being part of it. */
const isAside = (line: string): boolean =>
  /^\[(?:stored as|note\]|path corrected|lines \d+-\d+ left out|… )/.test(line)

const clipStart = (text: string, length: number): string =>
  text.length <= length ? text : `…${text.slice(1 - length).replace(/^[\uDC00-\uDFFF]/, '')}`
