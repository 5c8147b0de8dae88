/** What a hook's words mean. Pure: exit codes, JSON on stdout and a reviewer's reply in, one decision out. */
import { z } from 'zod'
import { clip } from '../../lib/text.ts'

export type HookAnswer =
  | { readonly action: 'allow'; readonly transformed?: unknown }
  | { readonly action: 'skip' }
  | { readonly action: 'deny'; readonly why: string }
  /** It did not say; whether that denies is the hook's own setting. */
  | { readonly action: 'fail'; readonly why: string }

type Ended = { readonly exitCode: number; readonly stdout: string; readonly stderr: string }

const output = z.object({
  action: z.enum(['allow', 'skip', 'deny']).optional(),
  transformed: z.unknown().optional(),
  reason: z.string().optional(),
})

export function readCommand({ exitCode, stdout, stderr }: Ended): HookAnswer {
  const text = stdout.trim()
  if (!text.startsWith('{')) return byExitCode(exitCode, stderr || text)
  const reading = output.safeParse(parse(text))
  if (!reading.success) return { action: 'fail', why: 'printed JSON that is not a valid answer' }
  const { action, transformed, reason } = reading.data
  // Without an action the exit code decides; a transform given with it still counts.
  const decided = action ? fromAction(action, reason ?? stderr) : byExitCode(exitCode, reason ?? stderr)
  return decided.action === 'allow' && transformed !== undefined ? { ...decided, transformed } : decided
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function fromAction(action: 'allow' | 'skip' | 'deny', why: string): HookAnswer {
  return action === 'deny' ? { action, why: reasonOf(why) } : { action }
}

function byExitCode(exitCode: number, words: string): HookAnswer {
  if (exitCode === 0) return { action: 'allow' }
  if (exitCode === 1) return { action: 'skip' }
  if (exitCode === 2) return { action: 'deny', why: reasonOf(words) }
  return { action: 'fail', why: `ended with exit code ${exitCode}` }
}

const reasonOf = (words: string): string => clip(words.trim() || 'it gave no reason', 500)

/** In capitals, as asked for: "I would not allow this: DENY" is a no. */
export function readReview(reply: string): HookAnswer {
  const found = /\b(ALLOW|DENY)\b[\s:.,*-]*(.*)/.exec(reply)
  if (!found) return { action: 'fail', why: 'said neither ALLOW nor DENY' }
  return found[1] === 'ALLOW' ? { action: 'allow' } : { action: 'deny', why: reasonOf(found[2] ?? '') }
}
