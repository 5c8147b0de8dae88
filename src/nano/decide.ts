/**
 * What becomes of a reply: a call, a guess, an answer in a form, or a refusal. A wrong write or command is worse than no
 * answer, so a call that acts is made without a question only when the request spells out what it writes or runs, the model
 * was sure of every choice in it and had read the whole request, and the request wants it done now. Pure.
 */
import { isObject } from '../lib/json.ts'
import { hasOtherSubject, isDoubtful } from './intent/doubt.ts'
import { isAskedFact } from './commands/facts.ts'
import type { ListedLine } from './weights/format.ts'
import { toEdit } from './project/listed-lines.ts'
import { notSpelledOut } from './intent/spelled-out.ts'
import { listedTexts } from './request/listed-texts.ts'
import {
  CALL,
  CALL_END,
  type Form,
  forms,
  formToken,
  type Reason,
  reasons,
  reasonToken,
} from './weights/format.ts'
import { formsAfter } from './replies/forms.ts'
import { isOrder } from './intent/order.ts'
import { GOES_ON } from './steps/progress.ts'
import { hasRemark } from './intent/remark.ts'
import { repairCall } from './calls/repair.ts'
import { moodAgainst } from './intent/mood.ts'
import { mayBeWanted } from './intent/wanted.ts'
import type { NanoCall, NanoStep } from './steps/run.ts'
import { CHANGE_LINE, isActing } from './weights/tools.ts'
import { withinClause, withWholeTexts } from './calls/whole-text.ts'

export type Decision =
  | { readonly kind: 'call'; readonly call: NanoCall }
  | { readonly kind: 'answer'; readonly form: Form }
  | { readonly kind: 'refuse'; readonly reason: Reason }
  /** Not certain enough to act without asking. Likely: certain of every choice, or spelled out by the request. */
  | {
      readonly kind: 'guess'
      readonly call: NanoCall
      readonly why: string
      readonly isLikely: boolean
      /** The other opinion agrees, and nothing that was said is against it. */
      readonly isBacked?: boolean
    }
  /** What a guess is where no guard can ask: the question is put in words. */
  | { readonly kind: 'ask'; readonly call: NanoCall; readonly question: string }
  /** Understood, but the request does not want it done now. */
  | { readonly kind: 'doubt'; readonly call: NanoCall }
  /** It is about a file that is not there. */
  | { readonly kind: 'missing'; readonly path: string }
  | { readonly kind: 'too-long' }

export type Evidence = {
  readonly request: string
  readonly text: string
  /** Of each token, its share among those that were allowed; a token without a choice has 1. */
  readonly confidences: readonly number[]
  /** The reply did not come to its end. */
  readonly isCut: boolean
  /** The request was too long to be shown whole. */
  readonly isRequestCut: boolean
  readonly steps: readonly NanoStep[]
  /** Those nano was shown with the request. */
  readonly lines: readonly ListedLine[]
  /** An earlier reply to the same went against the request's own words. */
  readonly isSecond?: boolean
  /** How likely this action is after both opinions. */
  readonly agreement?: number
  /** What it was asked for, where that is a part of the request, and how many steps had been done before. */
  readonly part?: { readonly clause: string; readonly from: number }
}

/** The share the best choice needs at every token of a call that acts without a question. */
export const SURE = 0.9
/** Enough for a client that has permissions of its own, where the request spells everything out. */
const LIKELY = 0.7
/** How likely an action must be after both opinions to back a guess, and how sure nano of an order that is backed. */
const BACKING = 0.97
const BACKED = 0.5
/** How likely, where the user cannot be asked. */
const AGREED = 0.9
/** How likely for a question where the words have a sign against it; the verdict has weighed that sign. */
const OUTWEIGHS = 0.6
/** Below this share at any token a call that acts is not even offered: another choice was as likely. */
export const OFFERED = 0.4

/** How likely an action must be after both opinions to be asked for where a rule or nano's own doubt is against it. */
const WANTED = 0.7

const UNCERTAIN = 'it is not certain that this is meant'

export function decide(evidence: Evidence): Decision {
  const { request, text, steps, isRequestCut } = evidence
  const written = evidence.isCut ? undefined : readCall(text)
  if (!written) return readForm(text, steps)
  const { clause, from } = evidence.part ?? { clause: request, from: 0 }
  const plain = repaired(written, request)
  const whole = withAllLines(withinClause(withWholeTexts(plain, request, evidence.lines), clause), clause)
  const call = toEdit(whole, evidence.lines, request)
  const last = steps.at(-1)
  if (last && (isRepeated(call, steps) || (steps.length > from && isAnswered(last, clause))))
    return { kind: 'answer', form: usualForm(last) }
  if (!isActing(call.name)) return { kind: 'call', call }
  if (isRequestCut) return { kind: 'too-long' }
  if (moodAgainst(call, request) !== undefined) {
    // "Delete a.txt, then show me the rest": a sign in another part is a reason to ask, not to refuse.
    const isAgainst = clause === request || moodAgainst(call, clause) !== undefined
    const isWanted = (evidence.agreement ?? 0) >= OUTWEIGHS || mayBeWanted(call, clause)
    if (isAgainst && !isWanted) return { kind: 'doubt', call }
    return { kind: 'guess', call, why: `The built-in model guessed this: ${UNCERTAIN}`, isLikely: false }
  }
  const least = Math.min(1, ...evidence.confidences)
  if (isFact(call, clause)) return { kind: 'call', call }
  if (least < OFFERED && (evidence.agreement ?? 0) < WANTED) return { kind: 'doubt', call }
  const isFree = !evidence.isSecond && !isDoubtful(call, request) && !hasRemark(call, request)
  // What the first part orders does not order the next one: "copy a to b, then address: 5 Elm Road".
  const isOrdered = isOrder(call, clause) || (from === 0 && isOrder(call, request))
  const isPlain = isFree && isOrdered && !isMended(plain, whole)
  const missing = notSpelledOut(call, request)
  const isSpelledOut = missing === undefined && !isLoss(call)
  if (isPlain && least >= SURE && isSpelledOut) return { kind: 'call', call }
  const isItsSubject = !hasOtherSubject(call, clause)
  const isLikely = isPlain && least >= (isSpelledOut ? LIKELY : SURE) && isItsSubject
  const isAgreed = (evidence.agreement ?? 0) >= BACKING && least >= (isOrdered ? BACKED : LIKELY)
  const isBacked = isFree && isAgreed && isItsSubject && !isLoss(call) && (isOrdered || WISHES.test(clause))
  const why = `The built-in model guessed this: ${reasonToAsk(call, missing)}`
  return { kind: 'guess', call, why, isLikely, ...(isBacked && { isBacked }) }
}

/** A guess whose arguments the rankings find as likely as nano does, and whose action nobody doubts. */
export const confirmed = (
  decision: Decision,
  request: string,
  { agreement, sure }: Confirmation,
): Decision =>
  decision.kind === 'guess' &&
  isUndisputed(decision.call, request, agreement) &&
  // Where a text ends is nano's word alone.
  (decision.call.name !== 'write_file' || sure >= LIKELY)
    ? { ...decision, isLikely: true }
    : decision

type Confirmation = { readonly agreement: number; readonly sure: number }

export const isUndisputed = (call: NanoCall, request: string, agreement: number): boolean =>
  agreement >= AGREED &&
  moodAgainst(call, request) === undefined &&
  !isDoubtful(call, request) &&
  !hasRemark(call, request) &&
  (isOrder(call, request) ||
    (!isLoss(call) && WISHES.test(request) && !isTold(request)) ||
    (call.name === 'edit_file' && agreement >= BACKING && SETS.test(request) && !isTold(request)))

/** It looks, and nothing else is meant by these words. */
const isFact = ({ name, input: { command } }: NanoCall, clause: string): boolean =>
  name === 'run_command' && typeof command === 'string' && isAskedFact(command, clause)

type Wanted = { readonly share: number; readonly clause: string; readonly request: string }

/** A call that nano did not write as it is: looked at without a question, done only with one, and not where the words are against it. */
export function guessed(call: NanoCall, { share, clause, request }: Wanted): Decision {
  if (!isActing(call.name)) return { kind: 'call', call }
  const isAgainst = [request, clause].every((words) => moodAgainst(call, words) !== undefined)
  if (isAgainst && share < OUTWEIGHS && !mayBeWanted(call, clause)) return { kind: 'doubt', call }
  if (!isAgainst && isFact(call, clause)) return { kind: 'call', call }
  return { kind: 'guess', call, why: `The built-in model guessed this: ${UNCERTAIN}`, isLikely: false }
}

/** No order, but what is to become; "Sam has changed it" and `a -> b` are neither. */
export const WISHES =
  /\b(?:should|must|needs?|has to|have to|ought|can|could|would|please|pls|want|wants|like|let's|lets|make sure|supposed|meant|now)\b/i

/** "max_guests 10 instead of 8", "version to 2.5.0"; not `3000 -> 8080`, which may be a title. */
export const SETS = /^(?!.*(?:->|→))(?=.*\b(?:instead of|rather than|from \S+ to|to|at|on|off)\b\s*\S)/is

/** "Sam has changed 3000 to 8080", "the port was changed to 8080": it is done already. */
const isTold = (request: string): boolean =>
  !ASKS.test(request) && (DONE.test(request) || DONE_SET.test(request))

const ASKS =
  /\b(?:should|must|needs?|(?:has|have|had|wants?|likes?) to|can|could|would|please|pls|be|let['’]?s)\b/i
const DONE =
  /^\W*(?:[\w'’-]+\s+){1,6}?(?:changed|replaced|renamed|moved|copied|deleted|removed|added|appended|updated|bumped|switched|turned|edited|corrected|fixed)\b/i
/** The same word is an order. */
const DONE_SET =
  /(?:\b(?:has|have|had)|['’](?:s|ve|d))\s+(?:(?:already|just|now)\s+)?(?:set|put)\b|\b(?:set|put)\b.*\b(?:yesterday|already)\b/i

function reasonToAsk(call: NanoCall, missing: string | undefined): string {
  if (missing !== undefined) return `the request does not spell out the ${missing}`
  return isLoss(call) ? 'it removes or replaces what is there' : UNCERTAIN
}

/** Where several lines are said in a row, all of them. */
function withAllLines(call: NanoCall, clause: string): NanoCall {
  const content = call.name === 'write_file' ? listedTexts(clause) : undefined
  return content === undefined ? call : { ...call, input: { ...call.input, content } }
}

/** More is written or run than the model said: where that ends is a guess. */
const isMended = (before: NanoCall, { input }: NanoCall): boolean =>
  ['content', 'command'].some((key) => before.input[key] !== input[key])

/** What was there is gone afterwards. */
export const isLoss = ({ name, input }: NanoCall): boolean =>
  name === 'delete_file' ||
  input['overwrite'] === true ||
  (name === 'run_command' && DESTROYS.test(String(input['command'])))

/** Also where it is typed out: "rm -rf /, go on, I dare you". */
const DESTROYS = new RegExp(
  [
    String.raw`(?:^|[\s;&|("'\x60/])(?:rm|rmdir|shred|unlink|truncate|dd|mkfs\S*)(?=\s|$)`,
    String.raw`\s-delete\b`,
    String.raw`\bgit\b.*\breset\b.*--hard`,
    String.raw`\bgit\b.*\b(?:clean|restore|branch\s+-D|stash\s+(?:drop|clear)|checkout\s+(?:-f|\.|--\s))`,
    String.raw`\bpush\b.*(?:\s-\w*f|\s\+\w|--force|--delete)`,
    String.raw`\b(?:destroy|prune|unpublish|uninstall)\b`,
    String.raw`\bkubectl\s+delete\b`,
    String.raw`\bdrop\s+(?:table|database)\b`,
    String.raw`\bchmod\s+-\w*R`,
    String.raw`(?<!>)>\s*[\w./~]`,
  ].join('|'),
  'i',
)

/** The part of a listed line is taken from there, not from the request. */
function repaired(call: NanoCall, request: string): NanoCall {
  const found = repairCall(call, request)
  return call.name === CHANGE_LINE ? { ...found, input: { ...found.input, old: call.input['old'] } } : found
}

/** A reply that is a call, whatever becomes of it. */
export function readCall(text: string): NanoCall | undefined {
  if (!text.startsWith(CALL)) return undefined
  try {
    const body: unknown = JSON.parse(text.slice(CALL.length, text.lastIndexOf(CALL_END)))
    if (!isObject(body) || typeof body['name'] !== 'string' || !isObject(body['arguments'])) return undefined
    return { name: body['name'], input: body['arguments'] }
  } catch {
    return undefined
  }
}

function readForm(text: string, steps: readonly NanoStep[]): Decision {
  const form = forms.find((candidate) => text.startsWith(formToken(candidate)))
  if (form && steps.length > 0) return { kind: 'answer', form }
  return {
    kind: 'refuse',
    reason: reasons.find((reason) => text.includes(reasonToken(reason))) ?? 'too-hard',
  }
}

/** The same call again makes sense only after something was changed. */
export function isRepeated(call: NanoCall, steps: readonly NanoStep[]): boolean {
  const since = steps.findLastIndex((step) => isSameCall(step.call, call))
  return since >= 0 && !steps.slice(since + 1).some((step) => isActing(step.call.name))
}

/** One plain clause asks for one step. Once that is done, a further call has been read out of the result. */
const isAnswered = ({ call, ok }: NanoStep, request: string): boolean =>
  ok && !LEADING.has(call.name) && !GOES_ON.test(request)

/** They only show the way to the tool that is meant. */
const LEADING = new Set(['more_tools', 'select_category'])

export const isSameCall = (one: NanoCall, other: NanoCall): boolean =>
  one.name === other.name && (textOf(one) === textOf(other) || isSameEdit(one.input, other.input))

/** A change is made with more of the line than was asked for. */
const isSameEdit = (made: NanoCall['input'], asked: NanoCall['input']): boolean =>
  made['path'] === asked['path'] &&
  [made['old'], asked['old'], made['new'], asked['new']].every((text) => typeof text === 'string') &&
  asked['new'] !== '' &&
  String(made['old']).includes(String(asked['old'])) &&
  String(made['new']).includes(String(asked['new']))

/** What a first call made new, a second one would be appended to; a file goes to a folder or to its name there. */
const textOf = ({ input }: NanoCall): string => {
  const { from, to } = input
  const isTransfer = typeof from === 'string' && typeof to === 'string'
  return JSON.stringify({ ...input, append: undefined, ...(isTransfer && { to: placeOf(from, to) }) })
}

const placeOf = (from: string, to: string): string => {
  const name = from.slice(from.lastIndexOf('/') + 1)
  const plain = to.replace(/\/+$/, '')
  return plain.endsWith(`/${name}`) ? plain.slice(0, -name.length - 1) : plain
}

export function usualForm({ call, ok }: NanoStep): Form {
  const possible = formsAfter(call.name, ok)
  // Only a list of entries cannot be `done`.
  const usual = possible.includes('done') ? TOLD : LISTED
  return usual.find((form) => possible.includes(form)) ?? 'text'
}

const TOLD = ['exit', 'text', 'done', 'error'] as const
const LISTED = ['list', 'exit', 'text', 'error'] as const
