/** "The last five lines": nano reads the file, the program knows where that is. Must equal `says_tail` in nano/hands/calls.py. */
import type { ProjectFiles } from './sources.ts'
import type { NanoCall } from '../steps/run.ts'
import { numberWords } from '../request/words.ts'

const TAIL =
  /\b(?:last|final|bottom)\s+(?:(?<count>[a-z]+|\d{1,3})\s+)?(?:lines?|rows?|entries|records)\b|\btail\s+(?:-n?\s*)?(?<of>\d{1,3})\b/i

/** How many lines from the end are asked for. */
export function tailOf(clause: string): number | undefined {
  const found = TAIL.exec(clause)
  if (!found) return undefined
  const said = found.groups?.['count'] ?? found.groups?.['of']
  const isOne = said === undefined && /\b(?:line|row)\b/i.test(found[0])
  return isOne ? 1 : toNumber(said)
}

const toNumber = (said: string | undefined): number | undefined => {
  const count = said === undefined ? undefined : Number(numberWords.get(said.toLowerCase()) ?? said)
  return count !== undefined && count > 0 ? count : undefined
}

/** The same read from the line where they begin. */
export async function fromTail(call: NanoCall, clause: string, files: ProjectFiles): Promise<NanoCall> {
  const { path, from } = call.input
  const count = call.name === 'read_file' && from === undefined ? tailOf(clause) : undefined
  if (count === undefined || typeof path !== 'string') return call
  const text = await files.read(path).catch(() => '')
  const lines = text.trimEnd().split('\n').length
  return lines > count ? { ...call, input: { path, from: lines - count + 1 } } : { ...call, input: { path } }
}
