/**
 * The last choices, one JSON line each with all they were made from, so that `covey router why` can explain a run and a
 * run can be replayed. Bounded; a line that a kill cut off is passed over. Several processes may append, one at a time.
 */
import { appendFile, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { writeAtomic } from '../lib/atomic-write.ts'
import { waitForLock } from '../lib/lock.ts'
import { errorMessage } from '../protocol/error.ts'
import type { Classification } from '../protocol/classification.ts'
import type { ChoiceInput, DecisionRecord } from '../protocol/routing.ts'

export type DecisionLog = {
  append(decision: DecisionRecord): void
  /** Oldest first. */
  read(): Promise<readonly DecisionRecord[]>
  clear(): Promise<void>
  flush(): Promise<void>
}

export type DecisionLogParts = {
  readonly path: string
  readonly maxBytes?: number
  onProblem(message: string): void
}

const MAX_BYTES = 2 * 1024 * 1024

export function createDecisionLog({ path, maxBytes = MAX_BYTES, onProblem }: DecisionLogParts): DecisionLog {
  let last: Promise<void> = Promise.resolve()
  const next = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work).catch((error: unknown) => {
      onProblem(`${path} cannot be written: ${errorMessage(error)}`)
    })
    return last
  }
  return {
    append: (decision) =>
      void next(async () => {
        await mkdir(dirname(path), { recursive: true })
        const lock = await waitForLock(path)
        try {
          // The line end comes first: after a line that was cut off, this one still stands alone.
          await appendFile(path, `\n${JSON.stringify(decision)}`, { mode: 0o600 })
          if ((await stat(path)).size > maxBytes) await halve(path)
        } finally {
          await lock.release()
        }
      }),
    async read() {
      await last
      const text = await readFile(path, 'utf8').catch(() => '')
      return text.split('\n').flatMap(toDecision)
    },
    clear: () => next(() => rm(path, { force: true })),
    flush: () => last,
  }
}

async function halve(path: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean)
  await writeAtomic(path, lines.slice(Math.ceil(lines.length / 2)).join('\n'))
}

function toDecision(line: string): readonly DecisionRecord[] {
  try {
    return [Kept.parse(JSON.parse(line))]
  } catch {
    return []
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const Kept = z.object({
  at: z.number(),
  runId: z.string(),
  sessionId: z.string().exactOptional(),
  cause: z.enum(['start', 'failure', 'escalation', 'return']),
  classification: z.custom<Classification>(isObject),
  input: z.custom<ChoiceInput>(isObject),
  decision: z.object({
    arm: z.string().exactOptional(),
    why: z.string(),
    reasons: z.array(z.string()),
    ranked: z.array(z.object({ arm: z.string(), score: z.number(), quality: z.number() })),
    ruledOut: z.array(z.object({ arm: z.string(), why: z.string() })),
    explored: z.boolean(),
  }),
})
