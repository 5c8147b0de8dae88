/**
 * Runs tries as root and as an ordinary user: each in a child process of that user, in a folder of its own that is not
 * below /tmp (the sandbox has a /tmp of its own, which would hide everything by accident).
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { childProgram } from '../../support/child.ts'
import type { Job } from './child.ts'
import { removeAll } from './look.ts'
import type { Outcome, User } from './try.ts'

/** Of a child in which a try hung. */
const HUNG = 75

/** No account has it. */
const UID = 61_234

const CHILD = await childProgram(new URL('child.ts', import.meta.url))

const isRoot = process.getuid?.() === 0

/** Why nothing can be tried as this user here; undefined where it can. */
export function whyNot(user: User): string | undefined {
  if (process.platform !== 'linux') return 'the harness looks at a Linux host'
  if (user === 'root' && !isRoot) return 'the tests do not run as root'
  const probe = ['bwrap', '--unshare-user', '--ro-bind', '/', '/', 'true']
  const [program = '', ...rest] = [...prefixOf(user), ...probe]
  try {
    execFileSync(program, rest, { stdio: 'pipe' })
    execFileSync('test', ['-r', CHILD], { ...(user === 'user' && isRoot && { uid: UID, gid: UID }) })
    return undefined
  } catch (error) {
    return `bwrap cannot be used as this user: ${String(error).split('\n')[0]}`
  }
}

const prefixOf = (user: User): readonly string[] =>
  user === 'user' && isRoot ? ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups'] : []

export type TriesOptions = { readonly isUnguarded?: boolean; onOutcome?(outcome: Outcome): void }

/** All outcomes; a child that dies takes the rest of its list along, and says so. */
export async function runTries(
  user: User,
  names: readonly string[],
  { isUnguarded = false, onOutcome }: TriesOptions = {},
): Promise<readonly Outcome[]> {
  // Some of them change the machine itself.
  if (isUnguarded && user === 'root') throw new Error('nothing is tried as root where nothing guards')
  const outcomes: Outcome[] = []
  while (outcomes.length < names.length) {
    const done = new Set(outcomes.map(({ name }) => name))
    const left = names.filter((name) => !done.has(name))
    const base = mkdtempSync('/var/tmp/covey-escape-')
    // The other user may look in: a folder that root cannot enter in its sandbox would stop every command of root.
    chmodSync(base, 0o755)
    if (user === 'user' && isRoot) chownSync(base, UID, UID)
    try {
      outcomes.push(...(await inChild({ user, base, names: left, isUnguarded }, onOutcome)))
    } finally {
      removeAll(base)
    }
  }
  return outcomes
}

function inChild(job: Job, onOutcome: TriesOptions['onOutcome']): Promise<readonly Outcome[]> {
  const [program = '', ...rest] = [...prefixOf(job.user), process.execPath, CHILD]
  const child = spawn(program, rest, {
    cwd: job.base,
    env: { PATH: process.env['PATH'], HOME: job.base, TMPDIR: '/tmp' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const outcomes: Outcome[] = []
  let err = ''
  child.stderr.on('data', (data: Buffer) => (err += data.toString()))
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return
    const outcome = JSON.parse(line) as Outcome
    outcomes.push(outcome)
    onOutcome?.(outcome)
  })
  child.stdin.end(JSON.stringify(job))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 || (code === HUNG && outcomes.length > 0)
        ? resolve(outcomes)
        : reject(new Error(`the child for ${job.user} ended with ${code}: ${err.slice(-2000)}`)),
    )
  })
}
