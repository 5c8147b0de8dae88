/**
 * What a call means, whatever way it was written: the tool's own name, arguments that fit its schema with keys sorted
 * and defaults filled in, paths written one way. Only lossless repairs are made; everything else is not a vote. Pure.
 */
import { posix } from 'node:path'
import { z } from 'zod'
import { canonicalJson, isObject } from '../lib/json.ts'
import { type CallReading, readCall } from '../lib/read-call.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { Effect, VotingTool } from '../protocol/vote.ts'

export type MeantCall = {
  readonly ok: true
  /** Equal for calls that mean the same. */
  readonly key: string
  readonly effect: Effect
  /** Nothing had to be repaired. */
  readonly isStrict: boolean
}

type UnusableCall = Extract<CallReading<VotingTool>, { readonly ok: false }>

type Meaning = { readonly tools: readonly VotingTool[]; readonly root?: string }

export function meaningOf(call: ToolCall, { tools, root = '' }: Meaning): MeantCall | UnusableCall {
  const reading = readCall(call, tools)
  if (!reading.ok) return reading
  const { tool, value, isStrict } = reading
  const why = problemOf(value, tool)
  if (why !== undefined) return { ok: false, reason: 'bad-arguments', why }
  const input = withPaths(withDefaults(value, tool), tool, root)
  return {
    ok: true,
    key: `${tool.name} ${canonicalJson(input)}`,
    effect: tool.effect?.(input) ?? 'write',
    isStrict,
  }
}

function problemOf(value: unknown, { name, parameters }: VotingTool): string | undefined {
  if (!isObject(value)) return `the arguments of ${name} are no object`
  const missing = requiredOf(parameters).find((key) => value[key] === undefined)
  if (missing !== undefined) return `${missing} is missing`
  const parsed = validatorOf(parameters).safeParse(value)
  if (parsed.success) return undefined
  const [issue] = parsed.error.issues
  return `${issue?.path.join('.') || 'arguments'}: ${issue?.message ?? 'not as the schema says'}`
}

const requiredOf = ({ required }: VotingTool['parameters']): readonly string[] =>
  Array.isArray(required) ? required.filter((key) => typeof key === 'string') : []

const validators = new WeakMap<object, z.ZodType>()

function validatorOf(parameters: VotingTool['parameters']): z.ZodType {
  const known = validators.get(parameters) ?? toValidator(parameters)
  validators.set(parameters, known)
  return known
}

/** A foreign schema may be invalid; then nothing is checked against it. */
function toValidator(parameters: VotingTool['parameters']): z.ZodType {
  try {
    return z.fromJSONSchema(parameters)
  } catch {
    return z.unknown()
  }
}

function withDefaults(input: unknown, { parameters }: VotingTool): Record<string, unknown> {
  const properties = isObject(parameters['properties']) ? parameters['properties'] : {}
  const defaults = Object.entries(properties).flatMap(([key, property]) =>
    isObject(property) && property['default'] !== undefined ? [[key, property['default']]] : [],
  )
  return { ...Object.fromEntries(defaults), ...(isObject(input) ? input : {}) }
}

const LIKE_A_PATH = /^(?:path|file|file_?path|file_?name|dir|directory|folder)$/i

function withPaths(
  input: Readonly<Record<string, unknown>>,
  { paths }: VotingTool,
  root: string,
): Record<string, unknown> {
  const isPath = (key: string): boolean => paths?.includes(key) ?? LIKE_A_PATH.test(key)
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      typeof value === 'string' && isPath(key) ? normalPath(value, root) : value,
    ]),
  )
}

/** `./src//a/../b.ts`, `src\b.ts` and `<root>/src/b.ts` are all `src/b.ts`. */
export function normalPath(path: string, root: string): string {
  const plain = posix.normalize(path.trim().replaceAll('\\', '/')).replace(/(?<=.)\/$/, '')
  const folder = root.replaceAll('\\', '/').replace(/\/$/, '')
  if (folder === '') return plain
  if (plain === folder) return '.'
  return plain.startsWith(`${folder}/`) ? plain.slice(folder.length + 1) : plain
}
