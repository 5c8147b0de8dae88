/**
 * Where a file is by now: one that an earlier step moved is at its new place, one that is named without its folder is the only one of that
 * name, and a text that goes to no file that is named goes to the one just written. Reads only what is there.
 */
import { contentless, isNamed, nameOf, stands } from '../request/naming.ts'
import type { ProjectFiles } from './sources.ts'
import { recentPaths } from './recent.ts'
import type { NanoCall, NanoStep } from '../steps/run.ts'

type Place = {
  readonly clause: string
  readonly paths: readonly string[]
  readonly steps: readonly NanoStep[]
  readonly files: ProjectFiles
}

export async function atPathNow(call: NanoCall, { clause, paths, steps, files }: Place): Promise<NanoCall> {
  const key = 'from' in call.input ? 'from' : 'path'
  const path = call.input[key]
  if (typeof path !== 'string' || call.name === 'make_folder') return call
  const written = steps.length > 0 ? writtenBefore(call, clause, steps) : undefined
  if (written !== undefined) return { ...call, input: { ...call.input, path: written } }
  if (await files.info(path).catch(() => 'unknown')) return call
  // "Rename a.log to b.log and start a new a.log".
  if (isForNew(call) && stands(clause, path)) return call
  const now = movedTo(path, steps) ?? (isForNew(call) ? undefined : onlyCalled(path, paths))
  return now === undefined ? call : { ...call, input: { ...call.input, [key]: now } }
}

const isForNew = ({ name, input }: NanoCall): boolean => name === 'write_file' && input['append'] !== true

/** Through all of the moves. */
function movedTo(path: string, steps: readonly NanoStep[]): string | undefined {
  const moved = steps.reduce((at, { call, ok }) => {
    const { from, to } = call.input
    return ok && call.name === 'move_file' && from === at && typeof to === 'string' ? to : at
  }, path)
  return moved === path ? undefined : moved
}

/** "Add it to bugs.csv", which is in the folder bugs. */
function onlyCalled(path: string, paths: readonly string[]): string | undefined {
  const found = paths.filter((one) => nameOf(one) === nameOf(path) && !one.endsWith('/'))
  return path.includes('/') || found.length !== 1 ? undefined : found[0]
}

/** "Create list.md with …, then append …": no file is named, so it is that one. */
function writtenBefore(call: NanoCall, clause: string, steps: readonly NanoStep[]): string | undefined {
  const { path, append } = call.input
  const last = steps.at(-1)
  if (call.name !== 'write_file' || append !== true || typeof path !== 'string') return undefined
  if (last?.call.name !== 'write_file' || recentPaths(steps).includes(path)) return undefined
  const rest = contentless(call, clause)
  const isSaid = isNamed(path, rest) || stands(rest, path) || OTHER.test(rest)
  return isSaid ? undefined : recentPaths([last])[0]
}

/** A place is said, in words that may name a file. */
const OTHER = /\b(?:to|in|into|at|under) (?!it\b|that\b|this\b|the (?:end|bottom|file)\b)/i
