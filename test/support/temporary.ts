/**
 * All temporary files of a run in one folder that goes with it. What a test file tidies up itself is often tidied too
 * late: without isolation the helpers of a worker are loaded once, and so are their last words.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'covey-tests-'))
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
