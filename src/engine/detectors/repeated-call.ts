/**
 * Decides, before a call is run, whether it leads anywhere. The same call with the same result is answered from what
 * is known, then refused, then ends the run; so are cycles, paths known to be missing, changes made and undone, and a
 * tool that keeps failing in one way. Whatever changes files or brings news starts the count again: edit, red test,
 * edit, red test is work.
 */
import type { FailureCode } from '../../protocol/error.ts'
import { foldMiddle } from '../../lib/fold.ts'
import { clip } from '../../lib/text.ts'
import { findNews, RUNS_CODE } from './no-progress.ts'
import type { CallRecord, Trace } from '../trace.ts'

export type NextCall = {
  readonly name: string
  readonly key: string
  readonly polling: boolean
  readonly path?: string
  /** There is nothing at `path` now. */
  readonly isMissing?: boolean
  /** It asks about something that goes on by itself: a job that still runs. */
  readonly isWaiting?: boolean
  /** The output limit cut it off: its arguments and result are unknown. */
  readonly isCut?: boolean
}

export type RepeatVerdict =
  | { readonly action: 'run' }
  /** `ok`: as the call it repeats ended. */
  | { readonly action: 'answer'; readonly text: string; readonly ok: boolean }
  | { readonly action: 'refuse'; readonly text: string }
  | { readonly action: 'stop' }

/** Refusals the model gets to see before the run ends. */
const PATIENCE = 2

export function judgeRepeat(trace: Trace, next: NextCall): RepeatVerdict {
  // Waiting is work: what runs on is really asked, however often.
  if (next.isWaiting || next.isCut) return { action: 'run' }
  const view = toView(trace)
  for (const rule of [sameReply, sameCall, missingPath, changedBack, sameFailure]) {
    const verdict = rule(view, next)
    if (verdict) return verdict
  }
  return { action: 'run' }
}

/** The calls whose results the model can still see, and how far it has gone without news. */
type View = {
  readonly calls: readonly CallRecord[]
  readonly news: readonly boolean[]
  /** Those that the reply in progress has made already. */
  readonly now: readonly CallRecord[]
  /** Calls since a tool last brought something new. */
  readonly idle: readonly CallRecord[]
  /** Turns of that stretch in which a call was answered or refused. */
  readonly warnings: number
}

function toView({ calls: all, turns, compactedTurn = 0 }: Trace): View {
  const allNews = findNews(all)
  const from = all.findIndex(({ turn }) => turn >= compactedTurn)
  const calls = from < 0 ? [] : all.slice(from)
  const news = from < 0 ? [] : allNews.slice(from)
  const progress = calls.findLastIndex(
    ({ ok, code }, index) => news[index] === true && (ok || code === 'exit-code'),
  )
  const idle = calls.slice(progress + 1)
  const now = calls.filter(({ turn }) => turn === turns)
  const warnings = turnsOf(idle.filter(isRefused).filter(({ turn }) => turn < turns))
  return { calls, news, now, idle, warnings }
}

type Rule = (view: View, next: NextCall) => RepeatVerdict | undefined

const MOST_IN_A_REPLY = 2

/** One reply that makes the same call over and over: nothing stops it between two of them. */
const sameReply: Rule = ({ now }, next) => {
  const runs = sinceChange(now, next).filter(({ key }) => key === next.key)
  const last = runs.at(-1)
  if (!last || sameRuns(runs, last).length < MOST_IN_A_REPLY) return undefined
  return answer(last)
}

const sameCall: Rule = ({ calls, news, warnings }, next) => {
  const since = sinceChange(calls, next)
  const last = since.findLast(({ key }) => key === next.key)
  if (!last) return undefined
  const hasNews = news.slice(calls.lastIndexOf(last) + 1).includes(true)
  const isRepeat = turnsOf(sameRuns(since, last)) >= 2 && !hasNews
  if (!isRepeat && !closesCycle(since, next)) return undefined
  if (warnings === 0) return answer(last)
  return warnings < PATIENCE ? { action: 'refuse', text: refuseAgain(next.name) } : { action: 'stop' }
}

/** What was run since another call changed something. */
function sinceChange(calls: readonly CallRecord[], next: NextCall): readonly CallRecord[] {
  const change = calls.findLastIndex(({ key, wrote }) => wrote && key !== next.key)
  return calls.slice(change + 1).filter((call) => !isRefused(call))
}

/** The last runs of a call that ended alike. Its own write made the results after it differ, so it counts as alike. */
function sameRuns(since: readonly CallRecord[], last: CallRecord): readonly CallRecord[] {
  const runs = since.filter(({ key }) => key === last.key)
  const other = runs.findLastIndex((run) => !run.wrote && !isSameResult(run, last))
  return runs.slice(other + 1)
}

const isSameResult = (a: CallRecord, b: CallRecord): boolean => a.resultHash === b.resultHash

/** The second round of a cycle of three ends with `next`. Shorter cycles show as repeats soon enough. */
function closesCycle(since: readonly CallRecord[], next: NextCall): boolean {
  const [a, b, c, again, andAgain] = since.slice(-5)
  if (!a || !b || !c || !again || !andAgain || c.key !== next.key) return false
  const isRound = a.key === again.key && b.key === andAgain.key && a.key !== b.key && b.key !== c.key
  const isAlike = isRound && isSameResult(a, again) && isSameResult(b, andAgain)
  return isAlike && turnsOf([a, b, c, again, andAgain]) === 5
}

const MAX_ANSWER = 2000

/** What the call gave before; one that failed has failed again. */
const answer = ({ text, ok }: CallRecord): RepeatVerdict => ({
  action: 'answer',
  ok,
  text: `${foldMiddle(text, MAX_ANSWER).text}\n[note] ${ok ? HAD : FAILED}`,
})

const HAD = 'You already had this answer and nothing has changed since. Use it: take the next step or answer.'
const FAILED =
  'The same call failed in the same way before and was not run again. Change its arguments or take another step.'

const refuseAgain = (name: string): string =>
  `Refused: the same ${name} call again would give the same result. ${alternatives[name] ?? OTHERWISE}`

const OTHERWISE = 'Use another tool or other arguments, or answer with what you know.'

const alternatives: { readonly [name: string]: string } = {
  read_file:
    'Read another file or part (`from`), change the file with edit_file, or answer with what you know.',
  list_files: 'Read one of the files listed, search with search_text, or answer with what you know.',
  search_text: 'Read a file that matched, search for something else, or answer with what you know.',
  find_files: 'Read a file that was found, try another pattern, or answer with what you know.',
  edit_file: 'Read the file to see what it says now, then make a different edit or go on.',
  write_file: 'Read the file to see what it says now, then make a different change or go on.',
  run_command: 'Change something first, run another command, or answer with what it printed.',
  job_output: 'Nothing new was printed. Do something else meanwhile, stop it with job_stop, or answer.',
}

const missingPath: Rule = ({ calls, warnings }, { path, isMissing }) => {
  if (path === undefined || !isMissing) return undefined
  const index = calls.findLastIndex((call) => call.path === path && call.code === 'missing-path')
  const missed = calls[index]
  if (!missed) return undefined
  const isOutdated = calls
    .slice(index + 1)
    .some((call) => call.wrote || (call.ok && RUNS_CODE.has(call.name)))
  if (isOutdated) return undefined
  const text = `Refused: ${path} is still missing. ${clip(missed.text, MAX_REMINDER)}`
  return warnings < PATIENCE ? { action: 'refuse', text } : { action: 'stop' }
}

const MAX_REMINDER = 600

/**
 * The same change made twice already: what it changes was there again, so it was undone in between. Text that is added
 * to the end may be added any number of times.
 */
const changedBack: Rule = ({ calls, warnings }, { key, name }) => {
  const adds = name === 'write_file' && /"append":\s*true/.test(key)
  if (adds || turnsOf(calls.filter((call) => call.key === key && call.wrote)) < 2) return undefined
  const text = `Refused: this ${name} was made twice and undone each time. Decide for one form, run what checks it, or answer.`
  return warnings < PATIENCE ? { action: 'refuse', text } : { action: 'stop' }
}

const FAILURES_IN_A_ROW = 3

/** After each refusal one try is let through: it may be the right one. */
const sameFailure: Rule = ({ idle, warnings }, { name, path }) => {
  const own = idle.filter((call) => call.name === name)
  const tries = own.filter((call) => !isRefused(call))
  const last = tries.at(-1)
  if (!last?.code || !isCallFault(last)) return undefined
  const other = tries.findLastIndex(({ code }) => code !== last.code)
  if (turnsOf(tries.slice(other + 1)) < FAILURES_IN_A_ROW) return undefined
  const isWarned = own.at(-1) !== last
  const isKnown = path !== undefined && idle.some((call) => call.path !== path && call.text.includes(path))
  if (isWarned || isKnown) return undefined
  return warnings < PATIENCE ? { action: 'refuse', text: refuseFailing(last, last.code) } : { action: 'stop' }
}

/** What a program did is its own failure, not one of the call; a missed edit is the patch spiral's. */
const isCallFault = ({ name, code }: CallRecord): boolean =>
  code === 'missing-path' ||
  code === 'denied' ||
  ((code === 'failed' || code === 'timeout') && !RUNS_CODE.has(name))

const refuseFailing = ({ name, text }: CallRecord, code: FailureCode): string =>
  `Refused: ${name} has failed ${FAILURES_IN_A_ROW} times in a row. ${advice[code] ?? OTHERWISE} The last error was: ${clip(text, MAX_REMINDER)}`

const advice: { readonly [code in FailureCode]?: string } = {
  'missing-path': 'Do not guess paths: call list_files or find_files and take one that exists.',
  denied: 'Find a way that is allowed, or tell the person what you need and why.',
  timeout: 'Ask for less at a time, or take another way.',
}

const isRefused = ({ code }: CallRecord): boolean => code === 'refused'

const turnsOf = (calls: readonly CallRecord[]): number => new Set(calls.map(({ turn }) => turn)).size
