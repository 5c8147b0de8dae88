/** What a run did so far, as the detectors and stop rules see it. They see this run only, never older ones. */
import type { FailureCode } from '../protocol/error.ts'
import type { RunEndReason } from '../protocol/run-end-reasons.ts'
import { shortHash } from '../lib/hash.ts'

export type CallRecord = {
  readonly turn: number
  readonly name: string
  /** Name and arguments in canonical form: equal keys are the same call. */
  readonly key: string
  readonly path?: string
  readonly ok: boolean
  readonly code?: FailureCode
  readonly text: string
  /** Equal for results that say the same; see `hashResult`. */
  readonly resultHash: string
  /** It changed files and succeeded. */
  readonly wrote: boolean
  readonly polling: boolean
  /** It asked about a job that still ran. */
  readonly waiting?: boolean
}

/** Test runs print how long they took. For a tool that is meant to be asked again the time is news. */
export const hashResult = (text: string, polling: boolean): string =>
  shortHash(polling ? text : text.replaceAll(TIMES, '#'))

const TIMES = /\d+(?::\d\d)+(?:\.\d+)?|\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds|milliseconds)\b/g

export type Trace = {
  /** Turns started so far; the call being judged belongs to this one. */
  readonly turns: number
  readonly calls: readonly CallRecord[]
  /** Turns that another arm took before; its calls are not among these. */
  readonly turnsBefore?: number
  /** Remedies spent since a result last brought something new. */
  readonly remedies?: number
  /** Void replies of a model that had worked before: asked for again, they are no turns of their own. */
  readonly discarded?: number
  /** Those of them since the last call that cost too little to be held against the run. */
  readonly forgiven?: number
  /** Compactions since then: each took away what will be read again. */
  readonly compactions?: number
  /** Results of earlier turns may have been compacted away: asking for them again is no repetition. */
  readonly compactedTurn?: number
}

/** A rule that may end the run. The reason is shown to the person waiting. */
export type StopRule = (trace: Trace) => RunEndReason | undefined

/** Something a small model did wrong, and what to tell it. */
export type Finding = {
  readonly detector: string
  readonly note: string
  /** The second time it is said in other words. */
  readonly otherwise?: string
  /** No answer, however often it comes: a run never ends with it. */
  readonly isVoid?: boolean
  /** Most tries with other sampling; two where nothing is said. */
  readonly again?: number
  /** Most notes; two where nothing is said. */
  readonly notes?: number
}
