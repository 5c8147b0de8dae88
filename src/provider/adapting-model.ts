/**
 * A server that refuses the shape of a request is asked again in a shape it takes, and from then on in that one: roles
 * that must alternate, no system role, no role for results, schemas it cannot turn into a grammar. What templates and
 * grammars do is not told by any metadata; the first refusal tells.
 */
import type { EmissionMode } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { JsonSchema, Model, ModelRequest } from '../protocol/model.ts'
import { isObject } from '../lib/json.ts'

export type RequestShape = {
  readonly emission: EmissionMode
  /** Without what llama.cpp and others cannot turn into a grammar. */
  readonly plainSchemas: boolean
}

export type AdaptingParts = {
  readonly name: string
  readonly shape: RequestShape
  make(emission: EmissionMode): Model
  /** The server took a request in another shape than the last. */
  onLearned?(shape: RequestShape): void
}

export function createAdaptingModel({ name, shape: first, make, onLearned }: AdaptingParts): Model {
  let shape = first
  let told = first
  let model = make(first.emission)
  return {
    name,
    async *stream(request, signal) {
      for (;;) {
        let hasBegun = false
        try {
          for await (const event of model.stream(shaped(request, shape), signal)) {
            hasBegun ||= event.type !== 'progress'
            yield event
          }
          if (shape !== told) onLearned?.(shape)
          told = shape
          return
        } catch (error) {
          const next = hasBegun ? undefined : nextShape(error, shape, request)
          if (!next) throw error
          if (next.emission !== shape.emission) model = make(next.emission)
          shape = next
        }
      }
    },
  }
}

const shaped = (request: ModelRequest, { plainSchemas }: RequestShape): ModelRequest =>
  plainSchemas
    ? {
        ...request,
        tools: request.tools.map((tool) => ({ ...tool, parameters: plainSchema(tool.parameters) })),
      }
    : request

/** Nothing where the refusal is about something else, or the shape is already the one it asks for. */
function nextShape(error: unknown, shape: RequestShape, request: ModelRequest): RequestShape | undefined {
  // Templates that raise an error answer 400 on some servers and 500 on others.
  if (!(error instanceof AppError) || error.details.status === undefined || error.details.loading)
    return undefined
  const { emission } = shape
  const text = error.message
  if (!emission.strict && ROLES_ALTERNATE.test(text)) return { ...shape, emission: strict(emission) }
  if (!emission.noSystem && NO_SYSTEM_ROLE.test(text))
    return { ...shape, emission: { ...emission, noSystem: true } }
  if (emission.base === 'tool-role' && ONLY_TWO_ROLES.test(text))
    return { ...shape, emission: { ...emission, base: 'user-results' } }
  if (!emission.noSystem && ONLY_TWO_ROLES.test(text))
    return { ...shape, emission: { ...emission, noSystem: true } }
  if (!shape.plainSchemas && request.tools.length > 0 && BAD_SCHEMA.test(text))
    return { ...shape, plainSchemas: true }
  return undefined
}

const strict = (emission: EmissionMode): EmissionMode => ({
  ...emission,
  strict: true,
  base: emission.base === 'tool-role' ? 'user-results' : emission.base,
})

const ROLES_ALTERNATE = /roles? must alternate|must alternate|alternat\w+ user/i
const NO_SYSTEM_ROLE =
  /system (?:role|message|prompt)s?\b.{0,30}(?:not|un)\s?(?:supported|allowed|permitted)/i
const ONLY_TWO_ROLES =
  /only user(?:,| and) (?:and )?(?:assistant|model) roles|(?:unknown|unexpected|unsupported|invalid) (?:message )?role|role .?tool.? (?:is )?not/i
const BAD_SCHEMA = /\bpattern\b|\bgrammar\b|json.?schema|unsupported schema|\bregex\b/i

/** What servers are known to refuse; the tool checks its input itself. */
const REFUSED_KEYS = new Set([
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'patternProperties',
  'propertyNames',
])

export function plainSchema(schema: JsonSchema): JsonSchema {
  return plain(schema, false) as JsonSchema
}

/** `isNames`: the keys are names of properties, which may be called like a keyword. */
function plain(value: unknown, isNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => plain(item, false) as unknown)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => isNames || !REFUSED_KEYS.has(key))
  return Object.fromEntries(kept.map(([key, inner]) => [key, plain(inner, !isNames && key === 'properties')]))
}
