/** The process that the tries of one user run in: a list of names on stdin, an outcome per line on stdout. */
import { execFileSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { attempt } from './attempt.ts'
import { makeTemplate, startVictim } from './bait.ts'
import { allTries } from './tries/all.ts'
import type { ClassNumber, Outcome, Try, User } from './try.ts'

export type Job = {
  readonly user: User
  readonly base: string
  readonly names: readonly string[]
  readonly isUnguarded: boolean
}

const LIMIT_MS = 60_000
/** Exit code: one try hung, the ones after it were not made. */
const HUNG = 75

const job = JSON.parse(await text(process.stdin)) as Job
process.umask(0o022)
const template = await makeTemplate(job.base)
const victim = startVictim()
const tell = (outcome: Outcome): void => void process.stdout.write(`${JSON.stringify(outcome)}\n`)
for (const { class: number, tries } of allTries) {
  for (const one of tries.filter(({ name }) => job.names.includes(name))) {
    const skipped = whySkipped(one)
    const { user, base, isUnguarded } = job
    if (skipped) tell({ name: one.name, class: number, user, escapes: [], skipped, ms: 0, seen: '' })
    else {
      const late = setTimeout(() => giveUp(one.name, number), LIMIT_MS)
      tell(await attempt(one, { class: number, user, template, base, victim, isUnguarded }))
      clearTimeout(late)
    }
  }
}
victim.stop()
process.exit(0)

/** What hangs may hang in a thread that nothing ends: the process goes, and another one does the rest. */
function giveUp(name: string, number: ClassNumber): void {
  const control = `it did not end within ${LIMIT_MS / 1000} s`
  const outcome: Outcome = {
    name,
    class: number,
    user: job.user,
    escapes: [],
    control,
    ms: LIMIT_MS,
    seen: '',
  }
  writeSync(1, `${JSON.stringify(outcome)}\n`)
  victim.stop()
  process.exit(HUNG)
}

function whySkipped({ needs = [], users, guarded }: Try): string | undefined {
  if (users && !users.includes(job.user)) return `only for ${users.join(' and ')}`
  if (job.isUnguarded && guarded !== undefined) return guarded
  const missing = needs.find((program) => !isInstalled(program))
  return missing === undefined ? undefined : `${missing} is not installed`
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
