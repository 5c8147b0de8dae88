/**
 * What of the person's demands a run has not met, in words a model can act on. From the calls that were made, never from
 * what the model says about them. What cannot be known counts as met: a tool from elsewhere may have done anything, and
 * what was denied is not the model's to do.
 */
import { CALL_TOOL } from '../../lib/inner-call.ts'
import type { CallRecord } from '../trace.ts'
import type { Demands } from './demands.ts'

export type DueInput = {
  readonly demands: Demands
  /** All calls of the run. */
  readonly calls: readonly CallRecord[]
  /** Whether a path exists now. */
  exists(path: string): boolean
  /** Whether the conversation has shown or touched it before. */
  isKnown(path: string): boolean
  /** Whether its failing lines were shown with the request: then it says what is wrong, and need not change. */
  isEvidence?(path: string): boolean
}

export type Due = {
  /** What is missing, most important first; empty when nothing is known to be. */
  readonly missing: readonly string[]
  /** Files may have changed in this run. */
  readonly wrote: boolean
}

export function findDue({ demands, calls, exists, isKnown, isEvidence }: DueInput): Due {
  const wrote = calls.some((call) => mayHaveWritten(call, demands))
  if (calls.some(isForeign)) return { missing: [], wrote: true }
  const isHeld = calls.some(({ code }) => code === 'denied')
  const change = demands.change && !wrote && !isHeld ? [NOTHING_CHANGED] : []
  const commands = demands.commands.flatMap((command) => commandDue(command, calls))
  const anyRun = demands.run && demands.commands.length === 0 && !calls.some(isRun) ? [NOTHING_RUN] : []
  const paths = demands.paths
    .filter(
      ({ path, isNew }) =>
        !isTouched(path, calls) && (isNew ? demands.change && !exists(path) : exists(path)),
    )
    .filter(({ path, isNew }) => isNew || demands.change || !isKnown(path))
    .filter(({ path }) => !(wrote && isEvidence?.(path)))
    .map(({ path, isNew }) => (isNew ? `${path} ${NOT_WRITTEN}` : `${path} ${NOT_TOUCHED}`))
  return { missing: [...change, ...paths, ...commands, ...anyRun], wrote }
}

/** Said where a change was asked for and none was made. */
export const NOTHING_CHANGED = 'no file was changed'
/** Said of a file that was to be made. */
export const NOT_WRITTEN = 'was not written'
/** Said of a file that is there. */
export const NOT_TOUCHED = 'was neither read nor changed'
/** Said of a command that was named. */
export const NOT_RUN = 'was not run'
export const NOTHING_RUN = 'nothing was run'

const RUNS = new Set(['run_command', 'python', 'javascript'])
const WRITES = new Set(['write_file', 'edit_file', 'apply_patch', 'propose_patch'])
const LOOKS = new Set([
  'read_file',
  'list_files',
  'search_text',
  'find_files',
  'search_code',
  'data_view',
  'read_result',
  'list_results',
  'more_tools',
  CALL_TOOL,
  'select_category',
  'system_info',
  'job_output',
  'job_stop',
])

/** A subagent or a tool from elsewhere may have done what was asked. */
const isForeign = ({ name, ok }: CallRecord): boolean =>
  ok && !RUNS.has(name) && !WRITES.has(name) && !LOOKS.has(name)

const isRun = ({ name, code }: CallRecord): boolean =>
  RUNS.has(name) && code !== 'bad-arguments' && code !== 'refused' && code !== 'cut'

/** A command that only looks, or the check that was asked for, has changed nothing. */
function mayHaveWritten(call: CallRecord, { commands }: Demands): boolean {
  if (call.wrote) return true
  if (!call.ok || call.code !== undefined || !RUNS.has(call.name)) return false
  const command = commandOf(call)
  return !commands.some((named) => isSameCommand(named, command)) && !ONLY_LOOKS.test(command)
}

const LOOKING =
  '(?:cd|ls|cat|bat|head|tail|grep|rg|ag|find|fd|wc|file|stat|tree|pwd|which|type|echo|printf|diff|cmp|du|df|sort|uniq|cut|nl|less|more|sed -n|awk|jq|test|true|env|date|git (?:status|diff|log|show|blame|branch|ls-files|grep)|npm (?:test|t|ls|run (?:test|lint|check|typecheck))|npx (?:vitest|jest|tsc|eslint)|pytest|python3? -m (?:pytest|unittest)|cargo (?:test|check|clippy)|go (?:test|vet)|make (?:test|check)|node --test|node (?:\\./)?(?:test|tests|spec|__tests__)/)'
const ONLY_LOOKS = new RegExp(`^\\s*(?:${LOOKING}\\b[^>]*?(?:\\s*(?:&&|\\|\\||;|\\|)\\s*|$))+$`)

const commandOf = ({ key }: CallRecord): string => {
  const match = /"(?:command|code)":("(?:[^"\\]|\\.)*")/.exec(key)
  try {
    return match?.[1] ? String(JSON.parse(match[1])) : key
  } catch {
    return key
  }
}

/** The same words in the same order of a shell line, whatever stands around them and wherever it was run from. */
function isSameCommand(named: string, command: string): boolean {
  const words = named
    .replace(/^npm run (?=test\b)/, 'npm ')
    .split(/\s+/)
    .map(lastPart)
  const given = command
    .replaceAll(/\bnpm run (?=test\b)/g, 'npm ')
    .split(/[\s;&|()"']+/)
    .map(lastPart)
  let at = 0
  for (const word of given) if (word === words[at]) at++
  return at === words.length
}

const lastPart = (word: string): string => word.replace(/[.,;:]+$/, '').replace(/^.*\//, '')

function commandDue(command: string, calls: readonly CallRecord[]): readonly string[] {
  const last = calls.findLast((call) => isRun(call) && isSameCommand(command, commandOf(call)))
  if (!last) return [`\`${command}\` ${NOT_RUN}`]
  if (last.ok || last.code === 'denied' || last.code === 'interrupted') return []
  return [`\`${command}\` ${FAILED_LAST}`]
}

/** Only what this says of may be answered by telling it. */
export const FAILED_LAST = 'failed when it was last run'

function isTouched(path: string, calls: readonly CallRecord[]): boolean {
  const name = lastPart(path)
  return calls.some(
    (call) =>
      call.code !== 'bad-arguments' &&
      (call.key.includes(name) ||
        call.path?.endsWith(name) === true ||
        (call.ok && call.text.includes(path))),
  )
}
