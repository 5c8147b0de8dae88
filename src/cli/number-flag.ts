import { z } from 'zod'

type Range = { readonly min?: number; readonly max?: number }

/** Parses a whole number from the command line; the error names the accepted range. */
export function wholeNumber({ min = 1, max = Number.MAX_SAFE_INTEGER }: Range = {}) {
  const upTo = max === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${max}`
  const error = `must be a whole number, ${min} ${upTo}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}
