/**
 * What to look at in a client's folder before anything is decided, where nothing of it is known: which files there are, then the file
 * that is to be changed, or the one that says what can be run. Looking harms nothing, and a path that is only named in words, or a line
 * that is to be changed, cannot be known otherwise. Pure.
 */
import type { Classification } from '../../protocol/classification.ts'
import type { Decision } from '../decide.ts'
import { isImperative } from '../intent/order.ts'
import { createPathIndex } from '../paths/named.ts'
import type { NanoCall, NanoStep } from '../steps/run.ts'
import { scriptFiles } from '../project/scripts.ts'
import type { SeenFiles } from './seen-files.ts'
import { notSpelledOut } from '../intent/spelled-out.ts'

export type Looking = {
  /** The clause that is to be done. */
  readonly clause: string
  readonly request: string
  readonly category: Classification['category']
  readonly seen: SeenFiles
  /** Looks made so far. */
  readonly looks: readonly NanoStep[]
  /** How sure the model was of its reply. */
  readonly confidence: number
}

export const EVERYTHING = '**/*'

/** All files, one that may be changed, one more. */
const MOST_LOOKS = 4
/** A request it is that sure to refuse is refused. */
const SURE_TO_REFUSE = 0.8

export function lookFor(decision: Decision, looking: Looking): NanoCall | undefined {
  const { looks } = looking
  if (looks.length >= MOST_LOOKS || isRefused(decision, looking)) return undefined
  const look = isListed(looks) ? fileFor(decision, looking) : listingFor(decision, looking)
  return look && !looks.some(({ call }) => JSON.stringify(call) === JSON.stringify(look)) ? look : undefined
}

const isListed = (looks: readonly NanoStep[]): boolean =>
  looks.some(({ call }) => call.name === 'find_files' && call.input['pattern'] === EVERYTHING)

/** It was understood, and nothing is to be done: looking would not change that. */
function isRefused(decision: Decision, { confidence, category, clause }: Looking): boolean {
  if (decision.kind === 'doubt' || decision.kind === 'too-long' || decision.kind === 'answer') return true
  if (decision.kind !== 'refuse') return false
  if (decision.reason === 'chat' || decision.reason === 'not-asked') return true
  if (category === 'answer' || !(isImperative(clause) || STATED.test(clause))) return true
  return decision.reason === 'too-hard' && confidence >= SURE_TO_REFUSE
}

/** "The severity must be Critical". */
const STATED = /\b(?:must|should|has to|needs to) (?:now )?(?:be|say|read|become)\b/i

function listingFor(decision: Decision, { clause, request }: Looking): NanoCall | undefined {
  const everything = { name: 'find_files', input: { pattern: EVERYTHING } }
  if (!('call' in decision)) return everything
  const { name, input } = decision.call
  const isSpelled = notSpelledOut(decision.call, request) === undefined
  // One word may be a program, or the name of a script: "run the tests".
  const isScript = name === 'run_command' && !/[\s./-]/.test(String(input['command']))
  if (name === 'run_command' || name === 'make_folder') return isSpelled && !isScript ? undefined : everything
  // Its pattern is made of the request's own words.
  if (name === 'find_files') return undefined
  if (name === 'search_text') return input['path'] === undefined || isSpelled ? undefined : everything
  const paths = [input['path'], input['from']].filter((path) => typeof path === 'string')
  const arePaths = paths.every((path) => path === '.' || isPath(path))
  const isMeant = REFERS.test(clause) || notSpelledOut(decision.call, clause) === undefined
  return isSpelled && arePaths && isMeant ? readFor(decision.call) : everything
}

const isPath = (path: string): boolean => /[./]/.test(path) || /^[A-Z][a-z]+file$/.test(path)

/** To what an earlier step was about. */
const REFERS = /\b(?:it|its|that|this|them|those|these|one|ones|there)\b/i

const CHANGING = new Set(['edit_file', 'write_file'])

/** The text around a change must be known to make it in one place. */
const readFor = ({ name, input }: NanoCall): NanoCall | undefined =>
  CHANGING.has(name) &&
  (name === 'edit_file' || input['append'] === true) &&
  typeof input['path'] === 'string'
    ? { name: 'read_file', input: { path: input['path'] } }
    : undefined

function fileFor(decision: Decision, { clause, category, seen }: Looking): NanoCall | undefined {
  const read = (path: string): NanoCall | undefined =>
    seen.hasText(path) || !seen.paths.includes(path) ? undefined : { name: 'read_file', input: { path } }
  const wanted = 'call' in decision ? readFor(decision.call)?.input['path'] : undefined
  if (typeof wanted === 'string') return read(wanted)
  const isOpen = !('call' in decision) || decision.kind === 'guess'
  if (!isOpen) return undefined
  const isRun = !('call' in decision) || decision.call.name === 'run_command'
  if (category === 'run' && isRun) return scriptFiles.flatMap((file) => read(file) ?? [])[0]
  const isChange = category === 'write' && !('call' in decision)
  const [best] = isChange
    ? createPathIndex(seen.paths)
        .match(clause)
        .filter((path) => !path.endsWith('/'))
    : []
  return best === undefined ? undefined : read(best)
}
