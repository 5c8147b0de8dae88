import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { childProgram } from '../support/child.ts'
import type { DiskCase } from './disk-child.ts'

/** As many cases for each of the four refusals, in a process of their own; see `disk-child.ts`. */
export async function refuse(cases: number): Promise<readonly DiskCase[]> {
  const argv = [await childProgram(new URL('disk-child.ts', import.meta.url)), String(cases)]
  const { stdout } = await promisify(execFile)(process.execPath, argv, { maxBuffer: 64 * 1_048_576 })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as DiskCase)
}

/** A named error, nothing lost or half written, and it goes on when the disk is well again. */
export function expectSurvived(found: readonly DiskCase[]): void {
  const wrong = found.filter(({ told, end, endAfter, lost, damage, written, stuck }) => {
    const isSilent = (end === undefined || end === 'error') && told.length === 0
    const isUnnamed = told.some(({ isNamed }) => !isNamed)
    const isTorn = written !== 'all' && written !== 'nothing'
    const isLost = lost.length + damage.length + stuck.length > 0
    // The script says at the end that all was done: where nothing was written, that is not an answer.
    const goesOn = endAfter === 'answered' || (written === 'nothing' && endAfter === 'no-answer')
    return isSilent || isUnnamed || isTorn || isLost || !goesOn
  })
  expect(wrong).toEqual([])
}
