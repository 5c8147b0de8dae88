/**
 * Any arm that says what a request is about. It is asked as the router would ask it: not where the person's settings keep
 * requests away from it, and what it takes is counted in its pool.
 */
import { AppError } from '../protocol/error.ts'
import type { Model, Usage } from '../protocol/model.ts'
import { type Classify, classifyWith } from './classify.ts'
import type { Pools } from './pools.ts'
import { isAllowed, type RouteParts, settleUsage } from './route.ts'
import { expectedAmounts, poolOf, type RouterArm } from './snapshot.ts'

export type ArmClassifierParts = {
  /** Nothing where there is no such arm now. */
  find(): RouterArm | undefined
  readonly pools: Pools
  readonly options: RouteParts['options']
}

export const classifyByArm =
  ({ find, pools, options }: ArmClassifierParts): Classify =>
  async (prompt, signal) => {
    const entry = find()
    if (!entry || !isAllowed(entry, options)) throw new AppError('model-unavailable', NOT_NOW)
    const lease = entry.arm.lease('to classify')
    const reservation = pools.reserve(poolOf(entry), expectedAmounts(entry, lease.countTokens(prompt)))
    if (!reservation) throw new AppError('rate-limited', NOT_NOW)
    let usage: Usage | undefined
    const watching = watched(lease.model, (seen) => (usage = seen))
    try {
      const said = await classifyWith(watching)(prompt, signal)
      settleUsage(reservation, entry, usage)
      lease.commit(usage)
      return said
    } catch (error) {
      // An answer that cannot be read was paid for all the same.
      if (usage) settleUsage(reservation, entry, usage)
      else reservation.release()
      lease.release(error)
      throw error
    }
  }

const NOT_NOW = 'The arm that classifies cannot be asked now.'

const watched = (model: Model, onUsage: (usage: Usage) => void): Model => ({
  name: model.name,
  async *stream(request, signal) {
    for await (const event of model.stream(request, signal)) {
      if (event.type === 'usage') onUsage(event.usage)
      yield event
    }
  },
})
