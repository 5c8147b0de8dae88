/**
 * What this process and the one with the weights say to each other. The other one has read a file from strangers: what
 * comes back from it is checked like any input from outside.
 */
import { z } from 'zod'
import { editForms } from '../protocol/edit-form.ts'
import type { ModelRequest } from '../protocol/model.ts'
import type { EmbeddedOptions } from './engine.ts'

export type ToChild =
  | { readonly type: 'open'; readonly options: EmbeddedOptions }
  | { readonly type: 'ask'; readonly id: number; readonly request: ModelRequest }
  | {
      readonly type: 'call'
      readonly id: number
      readonly method: ChildMethod
      readonly input: readonly unknown[]
    }
  | { readonly type: 'cancel'; readonly id: number }

export type ChildMethod = 'load' | 'scoreLabels' | 'saveState' | 'loadState' | 'countTokens'

export const tokenCounts = z.array(z.int().nonnegative())

/** No token is nearly as long. */
const text = z.string().max(1 << 20)

const chance = z.object({ token: text, logprob: z.number() })

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text-delta'), text }),
  z.object({ type: z.literal('reasoning-delta'), text }),
  z.object({ type: z.literal('tool-call'), call: z.object({ id: text, name: text, input: z.string() }) }),
  z.object({ type: z.literal('bad-call'), name: text.exactOptional(), reason: text }),
  z.object({ type: z.literal('proposal'), command: text }),
  z.object({
    type: z.literal('progress'),
    stage: z.enum(['loading', 'queued', 'reading']),
    done: z.number().exactOptional(),
    total: z.number(),
    cached: z.number().exactOptional(),
  }),
  z.object({ type: z.literal('logprobs'), tokens: z.array(chance.extend({ top: z.array(chance) })) }),
  z.object({
    type: z.literal('usage'),
    usage: z.object({ prompt: z.int(), completion: z.int(), cached: z.int().exactOptional() }),
  }),
  z.object({
    type: z.literal('finish'),
    reason: z.enum(['stop', 'length', 'tool-calls', 'filter', 'unknown']),
    confidence: z.number().min(0).max(1).exactOptional(),
  }),
])

const emission = z.object({
  base: z.enum(['tool-role', 'user-results', 'collapsed']),
  strict: z.boolean().exactOptional(),
  noSystem: z.boolean().exactOptional(),
  dialect: text.exactOptional(),
})

const capabilities = z.object({
  window: z.int(),
  windowFrom: z.enum(['configured', 'reported', 'learned', 'assumed']),
  tools: z.enum(['native', 'raw', 'text']),
  emission,
  dialect: text.exactOptional(),
  reasoning: z.enum(['keep', 'drop']),
  editForm: z.enum(editForms),
  requiredChoice: z.boolean(),
  prefill: z.boolean(),
  vision: z.boolean(),
  grammar: z.literal(true).exactOptional(),
})

const failure = z.object({
  code: z
    .enum(['model-unavailable', 'request-invalid', 'context-overflow', 'config-invalid'])
    .catch('model-unavailable'),
  message: text,
  details: z.object({ window: z.int().exactOptional() }).catch({}),
})

const id = z.int()

export const fromChild = z.discriminatedUnion('type', [
  z.object({ type: z.literal('opened'), capabilities }),
  z.object({ type: z.literal('event'), id, event }),
  /** The request with this number is over. `value` is what a call gave. */
  z.object({ type: z.literal('end'), id, value: z.unknown().optional() }),
  /** Number 0 is the opening itself. */
  z.object({ type: z.literal('failed'), id, error: failure }),
])

export type FromChild = z.infer<typeof fromChild>
