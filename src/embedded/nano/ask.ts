/**
 * What nano says to a run: to the clause it has come to, again without what goes against its words, and on to the next one. Reads the
 * project where a clause needs its sources.
 */
import type { ModelRequest } from '../../protocol/model.ts'
import type { Ban, Words } from './ban.ts'
import type { Situation } from './choices.ts'
import { contradictionOf, pathsIn } from './contradiction.ts'
import { type Decision, decide, isRepeated, readCall } from './decide.ts'
import { NANO_WINDOW, type NanoEngine, type NanoReply } from './engine.ts'
import { furtherEdit } from './further-edit.ts'
import { cutResult, noSources, type Sources } from './format.ts'
import { nanoGrammar } from './grammar.ts'
import { bansOfRepeat, isAbout, leftOut } from './left-out.ts'
import { nextCall } from './next-one.ts'
import type { Offer } from './offer.ts'
import { meantLook } from './meant-file.ts'
import { missingOld, oldTexts } from './old-text.ts'
import { type Action, actionOf, type Opinion, overruling, toolsOf } from '../opinion/action.ts'
import type { Opinions } from '../opinion/load.ts'
import { ordersAct } from './order.ts'
import {
  advance,
  currentOf,
  GOES_ON,
  isLookToo,
  isPlainlyDone,
  type Progress,
  shownSteps,
} from './progress.ts'
import type { ProjectFiles } from './project.ts'
import { fitPrompt } from './prompt.ts'
import { recentPaths } from './recent.ts'
import type { NanoRun, NanoStep } from './run.ts'
import { foldersOf } from './targets.ts'
import { isActing, type NanoTool } from './tools.ts'

/** Kept free for the reply. */
const RESERVE = 400
/** A run that long has lost its way. */
const MOST_CALLS = 8

export type Asked = { readonly decision: Decision; readonly reply: NanoReply }

export type Asking = {
  readonly engine: NanoEngine
  readonly files: ProjectFiles
  readonly run: NanoRun
  readonly progress: Progress
  readonly offer: Offer
  readonly request: ModelRequest
  /** A second opinion on what a clause asks for. */
  readonly opinions?: Opinions
  /** Nothing but a call will do. */
  readonly mustCall?: boolean
  /** The only tools that will do. */
  readonly only?: readonly string[]
}

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
    onReply?.(asked.reply)
    if (asked.decision.kind !== 'answer' || isOver(run.steps)) break
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

/** The clause it has come to; once more where it orders something, and nothing was done for it. */
async function askPart(asking: Asking, signal: AbortSignal): Promise<Asked | undefined> {
  const { progress, run } = asking
  if (isLookToo(progress, run.steps)) return askNano({ ...asking, only: LOOKS }, signal)
  const asked = await askNano(asking, signal)
  const { clause, from } = currentOf(progress)
  const isOpen = from > 0 && run.steps.length === from && !isOver(run.steps)
  if (asked?.decision.kind !== 'answer' || !isOpen || !ordersAct(clause)) return asked
  const call = await askNano({ ...asking, mustCall: true }, signal)
  const isSure = Math.min(1, ...(call?.reply.confidences ?? [0])) >= SURE_OF_MORE
  return call && isSure && isCalled(call.decision) ? call : asked
}

const LOOKS = ['read_file', 'list_files', 'find_files', 'search_text', 'data_view']

const isCalled = ({ kind }: Decision): boolean => kind === 'call' || kind === 'guess'

/** What follows from the last step, without asking the model. */
export async function nextOne(asking: Asking): Promise<Asked | undefined> {
  const next = isOver(asking.run.steps)
    ? undefined
    : ((await nextCall(asking)) ?? (await furtherCall(asking)))
  if (!next) return undefined
  const { call, isLikely } = next
  const why = 'The built-in model guessed this: it is one of several that seem to be meant'
  return {
    reply: {
      text: '',
      confidences: [],
      isCut: false,
      usage: { prompt: 0, completion: 0 },
      times: { firstTokenMs: 0, decodeMs: 0 },
    },
    decision: isActing(call.name) ? { kind: 'guess', call, why, isLikely } : { kind: 'call', call },
  }
}

async function furtherCall({ opinions, progress, run, files }: Asking): ReturnType<typeof nextCall> {
  const { clause, from } = currentOf(progress)
  const call = opinions && (await furtherEdit({ clause, steps: run.steps, from, files, opinions }))
  return call && { call, isLikely: false }
}

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
  const { engine, run, progress, offer, request } = asking
  const part = currentOf(progress)
  const [steps, sources] = [shownSteps(progress, run.steps), progress.reached[0]?.sources ?? noSources]
  let isRequestCut = false
  const reply = await engine.reply(
    {
      sessionId: request.sessionId,
      grammar: nanoGrammar({
        ...situationOf(run, { sources: part.sources, ...eligible(request, offer) }),
        ...(asking.mustCall && { mustCall: true }),
        ...(asking.only && { tools: offer.shown.filter(({ name }) => asking.only?.includes(name)) }),
        bans,
        olds: oldTexts(part.clause),
      }),
      prompt(count) {
        const parts = { request: run.request, steps, sources, tools: offer.shown }
        const fitted = fitPrompt(parts, count, NANO_WINDOW - RESERVE)
        isRequestCut = fitted.isRequestCut
        return fitted.segments
      },
    },
    signal,
  )
  if (!reply) return undefined
  const opinion = opinionOf(asking)
  const call = readCall(reply.text)
  const decision = decide({
    ...run,
    ...reply,
    isRequestCut,
    lines: part.sources.lines,
    part,
    isSecond: bans.length > 0 || asking.only !== undefined || asking.mustCall === true,
    agreement: opinion?.get(actionOf(call) ?? '') ?? 0,
  })
  // What was done already needs no other choice.
  if (decision.kind === 'answer') return { reply, decision }
  const other = bans.length === 0 && opinion ? otherAction(reply, opinion, asking) : undefined
  if (other === 'no') return { reply, decision: { kind: 'refuse', reason: 'unclear' } }
  if (other) return askNano({ ...asking, mustCall: true, only: toolsOf[other] }, signal)
  const settled = await settle({ reply, decision }, asking)
  if (!('kind' in settled)) return settled
  if (bans.length < MOST_BANS) return askNano(asking, signal, [...bans, settled])
  return { reply, decision: { kind: 'refuse', reason: 'unclear' } }
}

/** The reply as it is, the look that was meant instead, or what nano may not choose when it is asked again. */
async function settle(asked: Asked, { progress, run, files }: Asking): Promise<Asked | Ban> {
  const call = readCall(asked.reply.text)
  if (!call) return asked
  const part = currentOf(progress)
  const words = wordsOf(part, run)
  const look = part.from > 0 ? meantLook(call, words) : undefined
  if (look && !isRepeated(look, run.steps)) return { ...asked, decision: { kind: 'call', call: look } }
  return contradictionOf(call, words) ?? (await missingOld(call, pathsIn(words), files)) ?? asked
}

/** On the clause that is asked for; nothing where a step of it was made already. */
function opinionOf({ opinions, progress, run }: Asking): Opinion | undefined {
  const { clause, from } = currentOf(progress)
  if (run.steps.length > from) return undefined
  const isLater = progress.reached.length > 1
  return opinions?.action(isLater ? clause : run.request, { project: progress.words, isLater })
}

const wordsOf = (part: Pick<Words, 'clause' | 'sources'>, { request, steps }: NanoRun): Words => ({
  ...part,
  request,
  recent: recentPaths(steps),
  last: recentPaths(steps.slice(-1)),
})

/** What the clause asks for instead, in the other opinion; nothing where the reply stands. */
function otherAction(
  reply: NanoReply,
  opinion: Opinion,
  { only, progress, request }: Asking,
): Action | undefined {
  const isFree = only === undefined && (request.toolChoice ?? 'auto') === 'auto'
  const mine = actionOf(readCall(reply.text))
  if (!isFree || mine === undefined || (progress.reached.length > 1 && mine === 'no')) return undefined
  return overruling(opinion, mine, Math.min(1, ...reply.confidences))
}

/** Between what nano may choose: any line it is shown, unless the client insists on a call. */
function eligible(
  { toolChoice = 'auto' }: ModelRequest,
  { shown, callable, bindings }: Offer,
): Pick<Offered, 'tools' | 'mustCall'> {
  if (toolChoice === 'none') return { tools: [], mustCall: false }
  if (toolChoice === 'auto') return { tools: shown, mustCall: false }
  if (toolChoice === 'required') return { tools: callable, mustCall: true }
  const isNamed = ({ name }: NanoTool): boolean => (bindings.get(name)?.name ?? name) === toolChoice.name
  return { tools: callable.filter(isNamed), mustCall: true }
}

type Offered = { readonly sources: Sources; readonly tools: readonly NanoTool[]; readonly mustCall: boolean }

function situationOf({ request, steps }: NanoRun, { sources, tools, mustCall: must }: Offered): Situation {
  const last = steps.at(-1)
  return {
    request: request.slice(0, LONGEST_GRAMMAR),
    sources,
    tools: isOver(steps) ? [] : tools,
    made: foldersOf(steps),
    recent: recentPaths(steps),
    mustCall: must && steps.length === 0,
    ...(last && { result: { tool: last.call.name, ok: last.ok, text: cutResult(last.shown) } }),
  }
}

/** Spans that nano does not get to see only make the grammar large. */
const LONGEST_GRAMMAR = 4000

/** A user who refused is not asked for something else. */
const isOver = (steps: readonly NanoStep[]): boolean =>
  steps.length >= MOST_CALLS || ['denied', 'refused', 'interrupted'].includes(steps.at(-1)?.code ?? '')
