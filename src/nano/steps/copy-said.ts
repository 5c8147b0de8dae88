/**
 * Which of two files that are alike is meant: behind a copy "in the copy" is the new file, "in the original" the one that was copied. Nano
 * and the rankings know the lines of both. Reads the file.
 */
import type { Decision } from '../decide.ts'
import { nameOf, stands } from '../request/naming.ts'
import type { ProjectFiles } from '../project/sources.ts'
import type { NanoStep } from './run.ts'

type Place = {
  /** The part of the request that this is about. */
  readonly clause: string
  readonly steps: readonly NanoStep[]
  readonly files: ProjectFiles
}

const COPY =
  /\b(?:the|this|that|your|its) (?:new )?(?:copy|duplicate|copied (?:one|file))\b|\bin (?:that|the new|the second) (?:one|file|version)\b|\bthe new (?:one|file|version)\b|\b(?:in|to|of) it\b|\bin (?:there|that)\b|\bthere\b/i
const ORIGINAL = /\b(?:the )?(?:orig(?:inal)?|real one|old one|first one)\b/i

export async function inCopySaid(decision: Decision, { clause, steps, files }: Place): Promise<Decision> {
  if (decision.kind !== 'call' && decision.kind !== 'guess') return decision
  const { name, input } = decision.call
  const two = twoAlike(clause, steps)
  if (!['edit_file', 'write_file'].includes(name) || !two || input['path'] !== two.other) return decision
  const { meant } = two
  if (!(await hasOld(meant, input, files))) return decision
  const why = 'The built-in model guessed this: there are two files alike'
  const call = { name, input: { ...input, path: meant } }
  return { why, ...decision, kind: 'guess', isLikely: false, call }
}

export type TwoAlike = { readonly meant: string; readonly other: string }

/** Of a file and its copy the one that a clause speaks of; nothing where it speaks of neither, or of both. */
export function twoAlike(clause: string, steps: readonly NanoStep[]): TwoAlike | undefined {
  const copied = steps.findLast((step) => step.ok && step.call.name === 'copy_file')
  const { from, to } = copied?.call.input ?? {}
  if (typeof from !== 'string' || typeof to !== 'string') return undefined
  const isOriginal = ORIGINAL.test(clause)
  const [other, meant] = isOriginal ? [to, from] : [from, to]
  const isSaid = isOriginal || COPY.test(clause) || isNamed(to, clause)
  return isSaid && !isNamed(other, clause) ? { meant, other } : undefined
}

const isNamed = (path: string, clause: string): boolean =>
  [path, nameOf(path)].some((name) => stands(clause.toLowerCase(), name.toLowerCase()))

async function hasOld(
  path: string,
  { old }: NanoStep['call']['input'],
  files: ProjectFiles,
): Promise<boolean> {
  const text = await files.read(path).catch(() => undefined)
  return text !== undefined && (typeof old !== 'string' || text.includes(old))
}
