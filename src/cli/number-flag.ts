import { z } from 'zod'

type Range = { readonly min?: number; readonly max?: number }

/** A whole number that a person typed; a wrong one is told what it should be. */
export function wholeNumber({ min = 1, max = Number.MAX_SAFE_INTEGER }: Range = {}) {
  const upTo = max === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${max}`
  const error = `must be a whole number, ${min} ${upTo}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}
