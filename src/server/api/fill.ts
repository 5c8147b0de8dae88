/**
 * A gap in a text, filled in the way the model was trained for where there is one: such models do it better than any
 * that gets instructions. Other models get instructions, and the client does not see the difference.
 */
import type { Lease } from '../../protocol/arm.ts'
import { AppError } from '../../protocol/error.ts'
import type { Model, ModelRequest } from '../../protocol/model.ts'
import type { Ask, Caller, Gap } from './ask.ts'
import type { ModelParts } from '../parts.ts'

/** The gap in words, as a model is asked that only knows conversations. */
export const aroundGap = ({ before, after }: Gap): string =>
  `<before>\n${before}\n</before>\n<after>\n${after}\n</after>`

export function withFill(lease: Lease, { gap }: Ask, models: ModelParts, { client }: Caller): Lease {
  const filler = gap && models.fillIn?.(lease, client)
  return gap && filler ? { ...lease, model: fillFirst(gap, filler, lease.model) } : lease
}

const fillFirst = (gap: Gap, filler: Model, inWords: Model): Model => ({
  name: inWords.name,
  async *stream(request, signal) {
    let hasBegun = false
    try {
      for await (const event of filler.stream(toFill(request, gap), signal)) {
        hasBegun = true
        yield event
      }
    } catch (error) {
      if (hasBegun || !cannotFill(error)) throw error
      yield* inWords.stream(request, signal)
    }
  },
})

const toFill = (request: ModelRequest, { before, after }: Gap): ModelRequest => ({
  ...request,
  system: '',
  messages: [
    { role: 'user', text: before },
    { role: 'user', text: after },
  ],
})

/** The server has no such route, or its model no tokens for a gap. */
const cannotFill = (error: unknown): boolean =>
  error instanceof AppError &&
  (error.code === 'request-invalid' || [404, 405, 501].includes(error.details.status ?? 0))
