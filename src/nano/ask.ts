/**
 * What nano says to a run: to the clause it has come to, again without what goes against its words, and on to the next one. Reads the
 * project where a clause needs its sources.
 */
import { type Asked, type Asking, guessOf, NO_REPLY } from './asking.ts'
import type { Ban, Words } from './weights/ban.ts'
import { contradictionOf, pathsIn } from './checks/contradiction.ts'
import { composedCall } from './calls/composed.ts'
import { confirmed, type Decision, decide, guessed, isRepeated, readCall } from './decide.ts'
import type { NanoReply } from './weights/engine.ts'
import { reasons, reasonToken } from './weights/format.ts'
import { bansOfRepeat, isAbout, leftOut } from './steps/left-out.ts'
import { meantLook } from './project/meant-file.ts'
import { replaceFound, sameAgain } from './steps/next-one.ts'
import { missingOld } from './checks/old-text.ts'
import { type Action, actionOf, isWriting, toolsOf } from './opinion/action.ts'
import { typedCommand } from './commands/typed.ts'
import type { Likely } from './opinion/load.ts'
import type { NanoSaid } from './opinion/verdict.ts'
import { moodPlaces } from './intent/mood-place.ts'
import { ordersAct } from './intent/order.ts'
import { advance, currentOf, GOES_ON, isLookToo, isPlainlyDone } from './steps/progress.ts'
import { askWeights, isOver } from './weights/question.ts'
import { type RankingPlace } from './calls/likeliest.ts'
import { rankedCall } from './calls/ranked.ts'
import { recentPaths } from './project/recent.ts'
import type { NanoCall, NanoRun } from './steps/run.ts'
import { renameCall } from './steps/symbol.ts'
import { withTarget } from './calls/targets.ts'
import { moodSigns } from './intent/wanted.ts'

/** Clause by clause, until there is something to do or nothing is left. */
export async function askOn(
  asking: Asking,
  signal: AbortSignal,
  onReply?: (reply: NanoReply) => void,
): Promise<Asked | undefined> {
  const { progress, run, files } = asking
  if (isPlainlyDone(progress, run.steps)) await advance(progress, run.steps, files)
  let asked = await askPart(asking, signal)
  while (asked) {
    if (asked.reply !== NO_REPLY) onReply?.(asked.reply)
    if (!isThrough(asked.decision, asking) || isOver(run.steps)) break
    const further = await askFurther(asked, asking, signal)
    if (further) {
      onReply?.(further.reply)
      return further
    }
    if (!(await advance(progress, run.steps, files))) break
    asked = await askPart(asking, signal)
  }
  return asked
}

/** Also where nano has nothing to say to a clause that something was done for, and another one is left. */
function isThrough({ kind }: Decision, { progress, run }: Asking): boolean {
  const isBegun = run.steps.length > currentOf(progress).from
  return (
    kind === 'answer' || (kind === 'refuse' && isBegun && progress.reached.length < progress.clauses.length)
  )
}

/** The clause it has come to; once more where it orders something, and nothing was done for it. */
async function askPart(asking: Asking, signal: AbortSignal): Promise<Asked | undefined> {
  const { progress, run } = asking
  if (run.steps.length > 0 && run.steps.length === currentOf(progress).from) {
    const again = (await sameAgain(asking)) ?? (await replaceFound(asking))
    if (again) return guessOf(again, 'it follows from the step before')
  }
  if (isLookToo(progress, run.steps)) return askNano({ ...asking, only: LOOKS }, signal)
  const asked = await askNano(asking, signal)
  const { clause, from } = currentOf(progress)
  const isOpen = from > 0 && run.steps.length === from && !isOver(run.steps)
  if (asked?.decision.kind !== 'answer' || !isOpen || !(ordersAct(clause) || wantsMore(clause, asking)))
    return asked
  const call = await askNano({ ...asking, mustCall: true }, signal)
  const isSure = Math.min(1, ...(call?.reply.confidences ?? [0])) >= SURE_OF_MORE
  return call && isSure && isCalled(call.decision) ? call : asked
}

/** In the opinion of the classifier the part asks for a step of its own. */
function wantsMore(clause: string, { opinions, progress: { project } }: Asking): boolean {
  const shares = opinions ? [...opinions.action(clause, { project, isLater: true })] : []
  return shares.some(([action, share]) => action !== 'no' && share >= WANTS_MORE)
}

const WANTS_MORE = 0.7

const LOOKS = ['read_file', 'list_files', 'find_files', 'search_text', 'data_view']

const isCalled = ({ kind }: Decision): boolean => kind === 'call' || kind === 'guess'

/** How sure nano must be of what it says when it is asked for more. */
const SURE_OF_MORE = 0.6

/** A clause that seems done, but names another file beside the last one, or was answered with a call that had been made. */
async function askFurther({ reply }: Asked, asking: Asking, signal: AbortSignal): Promise<Asked | undefined> {
  const { progress, run } = asking
  const part = currentOf(progress)
  // A sentence may only tell what the next one asks for.
  const steps = run.steps.length > part.from ? run.steps.slice(part.from) : run.steps
  const left = leftOut(part, steps)
  const repeated = readCall(reply.text)
  const bans =
    left?.bans ?? (repeated && steps.length > 0 && GOES_ON.test(part.clause) ? bansOfRepeat(repeated) : [])
  if (bans.length === 0) return undefined
  const asked = await askNano({ ...asking, mustCall: left !== undefined }, signal, bans)
  const { decision } = asked ?? {}
  if (!asked || (decision?.kind !== 'call' && decision?.kind !== 'guess')) return undefined
  if (left) return isAbout(decision.call, left.path) ? asked : undefined
  return Math.min(1, ...asked.reply.confidences) >= SURE_OF_MORE ? asked : undefined
}

/** Then it has not understood. */
const MOST_BANS = 5

/** What nano says to the clause it has come to; again without what goes against its words. */
async function askNano(
  asking: Asking,
  signal: AbortSignal,
  bans: readonly Ban[] = [],
): Promise<Asked | undefined> {
  const { run, progress } = asking
  const part = currentOf(progress)
  const written = await askWeights(asking, bans, signal)
  if (!written) return undefined
  const { reply, isRequestCut } = written
  const verdict = verdictOn(reply, asking)
  const call = readCall(reply.text)
  const mine = actionOf(call)
  const agreement = verdict?.find(({ value }) => value === mine)?.share ?? 0
  const decision = decide({
    ...run,
    ...reply,
    isRequestCut,
    lines: part.sources.lines,
    part,
    isSecond: bans.length > 0 || asking.only !== undefined || asking.mustCall === true,
    agreement,
  })
  // What was done already needs no other choice.
  if (decision.kind === 'answer') return { reply, decision }
  const other = bans.length === 0 && verdict ? otherAction(mine, verdict, asking) : undefined
  if (other?.value === 'no') return { reply, decision: { kind: 'refuse', reason: 'unclear' } }
  const renamed =
    mine === 'no' && !other ? undefined : await renameCall({ ...run, ...part, ...placeOf(asking) })
  if (renamed)
    return {
      reply,
      decision: guessed(renamed, { share: agreement, clause: part.clause, request: run.request }),
    }
  if (other) return askForAction({ value: other.value, share: other.share }, { reply, asking }, signal)
  const settled = await settle({ reply, decision, agreement }, asking, agreement)
  if (!('kind' in settled)) return settled
  if (bans.length < MOST_BANS) return askNano(asking, signal, [...bans, settled])
  return { reply, decision: lastResort(mine, asking, agreement) }
}

/** Where everything nano can say goes against the words: what the rankings make of its action. */
function lastResort(mine: Action | undefined, asking: Asking, share: number): Decision {
  const place = rankingPlace(asking)
  const call = mine !== undefined && mine !== 'no' && place ? composedCall(mine, place) : undefined
  const isNew = call && isOffered(call, asking) && !isRepeated(call, asking.run.steps)
  return isNew
    ? guessed(call, { share, clause: place?.clause ?? '', request: asking.run.request })
    : { kind: 'refuse', reason: 'unclear' }
}

const placeOf = ({ progress, files }: Asking): Pick<Parameters<typeof renameCall>[0], 'paths' | 'files'> => ({
  paths: progress.project.files,
  files,
})

type OtherAction = Likely<Exclude<Action, 'no'>>

/** What another action is about, in the opinion of the rankings; what only nano can point at, it is asked for. */
async function askForAction(
  { value: action, share }: OtherAction,
  { reply, asking }: { readonly reply: NanoReply; readonly asking: Asking },
  signal: AbortSignal,
): Promise<Asked | undefined> {
  const place = rankingPlace(asking)
  const call = place && composedCall(action, place)
  if (call && isOffered(call, asking) && !isRepeated(call, asking.run.steps))
    return { reply, decision: guessed(call, { share, clause: place.clause, request: asking.run.request }) }
  return askNano({ ...asking, mustCall: true, only: toolsOf[action] }, signal)
}

const isOffered = ({ name }: NanoCall, { offer }: Asking): boolean =>
  offer.shown.some((tool) => tool.name === name)

function rankingPlace({ opinions, progress, run }: Asking): RankingPlace | undefined {
  const { clause } = currentOf(progress)
  const recent = recentPaths(run.steps)
  const ran = run.steps.findLast(({ call }) => call.name === 'run_command')?.call.input['command']
  const place = { request: run.request, clause, project: progress.project, recent }
  return opinions && { ...place, opinions, ...(typeof ran === 'string' && { ran }) }
}

/** The reply as it is, what was meant instead, or what nano may not choose when it is asked again. */
async function settle(asked: Asked, asking: Asking, agreement: number): Promise<Asked | Ban> {
  const { progress, run, files } = asking
  const call = readCall(asked.reply.text)
  if (!call) return asked
  const part = currentOf(progress)
  const place = rankingPlace(asking)
  const sure = Math.min(1, ...asked.reply.confidences)
  const made = 'call' in asked.decision ? asked.decision.call : call
  const ranked = place && rankedCall(await withTarget(made, files, run.request), sure, place)
  // What was done for this part already would come out again.
  const isBegun = run.steps.length > part.from
  if (ranked?.isOther && !isBegun && !isRepeated(ranked.call, run.steps)) {
    const wanted = { share: agreement, clause: part.clause, request: run.request }
    return { ...asked, decision: guessed(ranked.call, wanted) }
  }
  if (ranked && !ranked.isOther && ranked.share >= CONFIRMED)
    return ranked.share >= CERTAIN
      ? { ...asked, decision: confirmed(asked.decision, run.request, { agreement, sure }) }
      : asked
  const words = wordsOf(part, run)
  const look = part.from > 0 ? meantLook(call, words, progress.project.files) : undefined
  if (look && !isRepeated(look, run.steps)) return { ...asked, decision: { kind: 'call', call: look } }
  return contradictionOf(call, words) ?? (await missingOld(call, pathsIn(words), files)) ?? asked
}

/** How likely nano's arguments must be for no rule to forbid them, and for a client to get them without a question. */
const CONFIRMED = 0.6
const CERTAIN = 0.9

/** On the clause that is asked for; nothing where a step of it was made already. */
function verdictOn(
  { text, confidences }: NanoReply,
  { opinions, progress, run }: Asking,
): readonly Likely<Action>[] | undefined {
  const { clause, from } = currentOf(progress)
  if (!opinions || run.steps.length > from) return undefined
  const { project } = progress
  const isLater = progress.reached.length > 1
  const words = isLater ? clause : run.request
  const verdict = (): readonly Likely<Action>[] =>
    opinions.verdict(opinions.action(words, { project, isLater }), saidBy({ text, confidences }, words))
  if (typedCommand(clause, project) === undefined) return verdict()
  // "git add -A, then git commit -m x: is that bad practice?" has a command in it, and orders none.
  const isAsked = clause !== run.request && verdict()[0]?.value === 'no'
  return isAsked ? verdict() : [{ value: 'run', share: TYPED }]
}

/** How likely a clause that is a command as it would be typed wants it run. */
const TYPED = 0.98

/** What nano's reply says of a request. */
export function saidBy(
  { text, confidences }: Pick<NanoReply, 'text' | 'confidences'>,
  words: string,
): NanoSaid {
  const call = readCall(text)
  const reason = reasons.find((one) => text.includes(reasonToken(one)))
  const moods = moodSigns(call ?? NO_CALL, words)
  const places = moodPlaces(call ?? NO_CALL, words)
  return {
    action: actionOf(call),
    sure: Math.min(1, ...confidences),
    moods,
    places,
    ...(reason && { reason }),
  }
}

const NO_CALL: NanoCall = { name: '', input: {} }

const wordsOf = (part: Pick<Words, 'clause' | 'sources'>, { request, steps }: NanoRun): Words => ({
  ...part,
  request,
  recent: recentPaths(steps),
  last: recentPaths(steps.slice(-1)),
})

/** How likely it must be that nothing is wanted. */
const REFUSED = 0.4
/** How likely an action must be where nano wants nothing done. */
const AGAINST_REFUSAL = 0.4
const AGAINST_REFUSAL_LATER = 0.6
/** The same where nano wants something else done. */
const OVERRULES = 0.4

/** What the clause asks for instead, after both have spoken; nothing where nano's choice stands. */
function otherAction(
  mine: Action | undefined,
  [first, second]: readonly Likely<Action>[],
  { only, mustCall, progress, request }: Asking,
): Likely<Action> | undefined {
  const all = [first, second].filter((one) => one !== undefined)
  const best = all.find(({ value, share }) => value === 'no' && share >= REFUSED) ?? first
  if ((best?.share ?? 0) < (mine === 'no' ? AGAINST_REFUSAL : OVERRULES)) return undefined
  const isFree = only === undefined && !mustCall && (request.toolChoice ?? 'auto') === 'auto'
  if (!isFree || !best || mine === undefined) return undefined
  // A part of a request may only tell why: nothing is done for it that nano does not see.
  if (progress.reached.length > 1 && mine === 'no' && best.share < AGAINST_REFUSAL_LATER) return undefined
  return best.value === mine || (isWriting(best.value) && isWriting(mine)) ? undefined : best
}
