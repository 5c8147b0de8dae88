/**
 * Before any test: all temporary files of a run go into one folder that is removed with it, and the seed of all chance is
 * chosen. What a test file removes itself is often removed too late: without isolation the helpers of a worker are loaded
 * once, and so are their last hooks.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'covey-tests-'))
  process.env['TMPDIR'] = folder
  const run = (process.env['COVEY_TEST_RUN'] ??= basename(folder))
  process.env['COVEY_TEST_SEED'] ??= seedOfCommit()
  console.log(`seed: COVEY_TEST_SEED=${process.env['COVEY_TEST_SEED']}`)
  const programs = resolve(import.meta.dirname, '../../node_modules/.covey-tests', run)
  return () => {
    for (const made of [folder, programs]) rmSync(made, { recursive: true, force: true, maxRetries: 5 })
  }
}

function seedOfCommit(): string {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return String(Number.parseInt(commit.slice(0, 7), 16))
  } catch {
    return '1'
  }
}
