/**
 * A model that fails at the same kind of action again and again is asked, once in a run, to say what it is after before
 * it goes on. A red test is no failure of the action: the command ran and told something.
 */
import type { FailureCode } from '../../protocol/error.ts'
import type { CallRecord, Finding, Trace } from '../trace.ts'

const FAILURES = 3
const WITHIN_TURNS = 10

/** Fires on the turn of the third failure only. */
export function intentBreaker({ calls, turns }: Trace): Finding | undefined {
  const index = calls.findIndex((_, at) => isThirdFailure(calls, at))
  const last = calls[index]
  if (!last || last.turn !== turns) return undefined
  const note = `${last.name} has failed ${FAILURES} times. Plan first: say in one sentence what you want to find out or change, and which step gets you there. Then take that step.`
  return { detector: 'intent-breaker', note }
}

/** A success of the same kind takes one failure back. */
function isThirdFailure(calls: readonly CallRecord[], at: number): boolean {
  const last = calls[at]
  if (!last || !isFailure(last)) return false
  let failures = 0
  for (const call of calls.slice(0, at + 1)) {
    if (kindOf(call.name) !== kindOf(last.name) || last.turn - call.turn >= WITHIN_TURNS) continue
    if (isFailure(call)) failures++
    else if (call.ok) failures = Math.max(0, failures - 1)
  }
  return failures >= FAILURES
}

const isFailure = ({ ok, code }: CallRecord): boolean => !ok && !(code && OTHERWISE_TOLD.has(code))

/** An exit code is an outcome; a refusal and a cut call have been explained where they happened. */
const OTHERWISE_TOLD: ReadonlySet<FailureCode> = new Set(['exit-code', 'refused', 'cut', 'interrupted'])

const kindOf = (name: string): string => kinds[name] ?? name

const kinds: { readonly [name: string]: string } = {
  read_file: 'read',
  list_files: 'read',
  data_view: 'read',
  find_files: 'search',
  search_text: 'search',
  search_code: 'search',
  edit_file: 'change',
  write_file: 'change',
  apply_patch: 'change',
}
