/**
 * A patch as steps, one per file it names, in either of the two forms models write. Reading never touches a file: the
 * same steps tell the guard what would be written and the tool how.
 */
import { errorMessage } from '../../protocol/error.ts'
import { readSections } from './sections.ts'
import type { PatchStep } from './step.ts'
import { readUnified } from './unified.ts'

export type PatchReading =
  | { readonly ok: true; readonly steps: readonly PatchStep[] }
  | { readonly ok: false; readonly why: string }

export function readPatch(patch: string): PatchReading {
  const plain = patch.replaceAll('\r\n', '\n').replace(/^\s*```\w*\n|\n```\s*$/g, '')
  try {
    const steps = plain.includes('*** Begin Patch') ? readSections(plain) : readUnified(plain)
    return steps.length > 0 ? { ok: true, steps } : { ok: false, why: 'it names no file' }
  } catch (error) {
    return { ok: false, why: errorMessage(error) }
  }
}
