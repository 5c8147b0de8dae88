/**
 * A model that keeps missing the passage it wants to change. A note asks it to read it and write it whole, which is
 * allowed; if the edits go on missing, the run ends. A success takes one miss back, so that long honest work does not
 * add up.
 */
import type { CallRecord, Finding, StopRule, Trace } from '../trace.ts'

const TELL_AT = 4
const STOP_AT = 8

/** Fires on the turn of the miss, so that the words stand right behind it. */
export function patchSpiral({ calls, turns }: Trace): (Finding & { readonly path: string }) | undefined {
  const missed = calls.findLast((call) => call.turn === turns && isMiss(call))
  const path = missed?.path
  if (path === undefined || missesOf(calls, path) < TELL_AT) return undefined
  const note = `Edits of ${path} keep missing: \`old\` is not what the file says. Read the passage with read_file, then write the whole file with write_file; overwriting is allowed for it now.`
  return { detector: 'patch-spiral', path, note }
}

/** Whether `write_file` may replace this file without being asked to. */
export const mayOverwrite = ({ calls }: Trace, path: string): boolean => missesOf(calls, path) >= TELL_AT

export const patchSpiralGoesOn: StopRule = ({ calls }) => {
  const paths = new Set(calls.filter(isMiss).flatMap(({ path }) => path ?? []))
  return [...paths].some((path) => missesOf(calls, path) >= STOP_AT) ? 'patch-spiral' : undefined
}

function missesOf(calls: readonly CallRecord[], path: string): number {
  let misses = 0
  for (const call of calls) {
    if (call.path !== path) continue
    if (isMiss(call)) misses++
    else if (call.wrote) misses = Math.max(0, misses - 1)
  }
  return misses
}

const isMiss = ({ name, code }: CallRecord): boolean =>
  code === 'no-match' && (name === 'edit_file' || name === 'apply_patch')
