/**
 * The built-in model: understands a plain request, picks a tool, points at its arguments, and lets code report the
 * result. It reads the request and the results of the run, nothing else, so it looks like any other Model from outside
 * but ignores the system text and older runs. No chat model: what it cannot do it says, with the way to a larger one.
 */
import type { Capabilities } from '../../protocol/arm.ts'
import type { Classification } from '../../protocol/classification.ts'
import { defined } from '../../lib/object.ts'
import { AppError } from '../../protocol/error.ts'
import type { Model, ModelEvent, ModelRequest } from '../../protocol/model.ts'
import { renderAnswer } from './answer.ts'
import { classificationFields, toClassification } from './classify.ts'
import type { Ban } from './ban.ts'
import { contradictionOf, pathsIn } from './contradiction.ts'
import { type Decision, decide, readCall } from './decide.ts'
import {
  createNanoEngine,
  NANO_WINDOW,
  type NanoEngine,
  type NanoEngineOptions,
  type NanoReply,
} from './engine.ts'
import { otherLanguage } from './language.ts'
import { typed } from './spoken.ts'
import { foldersOf } from './targets.ts'
import { tidy } from './tidy.ts'
import { classifySegments, cutResult, noSources, type Sources } from './format.ts'
import { nanoGrammar, type Situation } from './grammar.ts'
import { appendByEdit } from './append-form.ts'
import { toClientCall } from './bindings.ts'
import { type ClientPlace, forClient, inOwnWords, placeOf, settleGuess, withRoot } from './client-run.ts'
import { nextOfEach } from './each.ts'
import { bansOfRepeat, isAbout, leftOut } from './left-out.ts'
import { lookFor } from './look-first.ts'
import { type Offer, offerNano } from './offer.ts'
import { missingOld, oldTexts } from './old-text.ts'
import {
  advance,
  currentOf,
  GOES_ON,
  isPlainlyDone,
  type Progress,
  shownSteps,
  undoneOf,
} from './progress.ts'
import { createPreparer, type Prepare } from './prepare.ts'
import type { ProjectFiles } from './project.ts'
import { recentPaths } from './recent.ts'
import { fitPrompt } from './prompt.ts'
import { doubt, leftUndone, notDone, refusal, tooLong } from './refusal.ts'
import { LOOK_ID, type NanoCall, type NanoRun, type NanoStep, readRun } from './run.ts'
import { isActing, type NanoTool } from './tools.ts'
import { nanoCapabilities } from './capabilities.ts'
import { NANO_ID } from '../../protocol/nano-id.ts'

export type NanoOptions = NanoEngineOptions & {
  /** The project's files, for the paths and scripts a request may mean. */
  readonly files: ProjectFiles
  /** Their folder: a client of the API may work in another. */
  readonly root?: string
  /** Called for every reply before it is used: for measurements. */
  readonly onReply?: (reply: NanoReply) => void
}

export interface NanoModel extends Model {
  readonly capabilities: Capabilities
  /** What a request is about, in one pass over it. */
  classify(prompt: string, signal?: AbortSignal): Promise<Classification>
  /** Loads the weights ahead of the first request. */
  load(): Promise<void>
  close(): Promise<void>
}

export function createNanoModel({ files, root, onReply, ...options }: NanoOptions): NanoModel {
  const engine = createNanoEngine(options)
  const classify = (prompt: string, signal: AbortSignal): Promise<Classification | undefined> =>
    classifyWith(engine, prompt, signal)
  const prepare = createPreparer({ classify })
  return {
    name: NANO_ID,
    capabilities: nanoCapabilities,
    stream: (request, signal) =>
      answer({ engine, files, prepare, ...defined({ root, onReply }) }, request, signal),
    async classify(prompt, signal = new AbortController().signal) {
      const found = await classify(prompt, signal)
      if (!found) throw new AppError('model-unavailable', `${NANO_ID}: the classification was cancelled.`)
      return found
    },
    load: () => engine.load(),
    close: () => engine.close(),
  }
}

async function classifyWith(
  engine: NanoEngine,
  prompt: string,
  signal: AbortSignal,
): Promise<Classification | undefined> {
  const scores = await engine.score(classifySegments(prompt), classificationFields, signal)
  return scores && toClassification(scores)
}

type Parts = Pick<NanoOptions, 'onReply' | 'files' | 'root'> & {
  readonly engine: NanoEngine
  readonly prepare: Prepare
}

/** Kept free for the reply. */
const RESERVE = 400
/** A run that long has lost its way. */
const MOST_CALLS = 8

async function* answer(parts: Parts, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const { engine, prepare, onReply } = parts
  const said = readRun(request)
  const words = { ...said, request: typed(said.request) }
  const foreign = otherLanguage(words.request)
  if (foreign !== undefined) return yield* refuseLanguage(foreign)
  const place = await placeOf(inOwnWords(words, request), request, parts)
  const { run, files } = place
  const progress = await prepare(request, place, signal)
  if (!progress) return
  const offer = offerNano({
    category: progress.category,
    request: words.request,
    tools: request.tools,
    guarded: request.guarded === true,
  })
  const asking = { engine, files, run, progress, offer, request }
  const asked = (await nextOne(asking)) ?? (await askOn(asking, signal, onReply))
  if (!asked) return
  const look = lookBefore(asked, { place, progress, offer })
  if (look) return yield* tellLook(withRoot(look, request), request, asked.reply)
  const { sources, clause } = currentOf(progress)
  const paths = pathsIn({ sources, recent: recentPaths(run.steps) })
  const tidied = await tidy(asked.decision, {
    request: run.request,
    clause,
    lines: sources.lines,
    paths,
    files,
  })
  const decision = settleGuess(await appendByEdit(tidied, offer.bindings, files), request)
  const undone = undoneOf(progress, run.steps)
  yield* tell(forClient(decision, offer, request), { run, request, reply: asked.reply, undone })
}

/** Clause by clause, until there is something to do or nothing is left. */
async function askOn(
  asking: Asking,
  signal: AbortSignal,
  onReply: NanoOptions['onReply'],
): Promise<Asked | undefined> {
  const { progress, run, files } = asking
  if (isPlainlyDone(progress, run.steps)) await advance(progress, run.steps, files)
  let asked = await askNano(asking, signal)
  while (asked) {
    onReply?.(asked.reply)
    if (asked.decision.kind !== 'answer' || isOver(run.steps)) break
    const further = await askFurther(asked, asking, signal)
    if (further) {
      onReply?.(further.reply)
      return further
    }
    if (!(await advance(progress, run.steps, files))) break
    asked = await askNano(asking, signal)
  }
  return asked
}

/** The same with the next of several files: nothing that nano would have to be asked for. */
async function nextOne({ progress, run, files }: Asking): Promise<Asked | undefined> {
  const { clause, from } = currentOf(progress)
  const call = isOver(run.steps) ? undefined : await nextOfEach(run.steps.slice(from), clause, files)
  if (!call) return undefined
  const why = 'The built-in model guessed this: it is one of several that seem to be meant'
  return {
    reply: {
      text: '',
      confidences: [],
      isCut: false,
      usage: { prompt: 0, completion: 0 },
      times: { firstTokenMs: 0, decodeMs: 0 },
    },
    decision: isActing(call.name) ? { kind: 'guess', call, why, isLikely: true } : { kind: 'call', call },
  }
}

/** How sure nano must be of what it says when it is asked for more. */
const SURE_OF_MORE = 0.6

/** A clause that seems done, but names another file beside the last one, or was answered with a call that had been made. */
async function askFurther({ reply }: Asked, asking: Asking, signal: AbortSignal): Promise<Asked | undefined> {
  const { progress, run } = asking
  const part = currentOf(progress)
  const steps = run.steps.slice(part.from)
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

type Before = { readonly place: ClientPlace; readonly progress: Progress; readonly offer: Offer }

/** A look into a client's folder that nothing is known of, as a call of the client's tool. */
function lookBefore({ decision, reply }: Asked, { place, progress, offer }: Before): NanoCall | undefined {
  const { seen, looks, run } = place
  if (!seen) return undefined
  const { clause } = currentOf(progress)
  const confidence = Math.min(1, ...reply.confidences)
  const { category } = progress
  const look = lookFor(decision, { clause, request: run.request, category, seen, looks, confidence })
  return look && toClientCall(look, offer.bindings)
}

function* tellLook(
  { name, input }: NanoCall,
  request: ModelRequest,
  reply: NanoReply,
): Generator<ModelEvent> {
  const id = `${LOOK_ID}${request.runId}-${request.turn}`
  yield { type: 'tool-call', call: { id, name, input: JSON.stringify(input) } }
  yield { type: 'usage', usage: reply.usage }
  yield { type: 'finish', reason: 'tool-calls', confidence: Math.min(1, ...reply.confidences) }
}

type Asked = { readonly decision: Decision; readonly reply: NanoReply }

type Asking = Pick<Parts, 'engine' | 'files'> & {
  readonly run: NanoRun
  readonly progress: Progress
  readonly offer: Offer
  readonly request: ModelRequest
  /** Nothing but a call will do. */
  readonly mustCall?: boolean
}

/** Then it has not understood. */
const MOST_BANS = 5

/** What nano says to the clause it has come to; again without what goes against its words. */
async function askNano(
  asking: Asking,
  signal: AbortSignal,
  bans: readonly Ban[] = [],
): Promise<Asked | undefined> {
  const { engine, files, run, progress, offer, request } = asking
  const part = currentOf(progress)
  const steps = shownSteps(progress, run.steps)
  const sources = progress.reached[0]?.sources ?? noSources
  let isRequestCut = false
  const reply = await engine.reply(
    {
      sessionId: request.sessionId,
      grammar: nanoGrammar({
        ...situationOf(run, { sources: part.sources, ...eligible(request, offer) }),
        ...(asking.mustCall && { mustCall: true }),
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
  const call = readCall(reply.text)
  const words = { ...part, recent: recentPaths(run.steps) }
  const ban = call && (contradictionOf(call, words) ?? (await missingOld(call, pathsIn(words), files)))
  if (ban && bans.length < MOST_BANS) return askNano(asking, signal, [...bans, ban])
  if (ban) return { reply, decision: { kind: 'refuse', reason: 'unclear' } }
  const { lines } = part.sources
  return {
    reply,
    decision: decide({ ...run, ...reply, isRequestCut, lines, part, isSecond: bans.length > 0 }),
  }
}

function* refuseLanguage(text: string): Generator<ModelEvent> {
  yield { type: 'refusal' }
  yield { type: 'text-delta', text: `${text} (\`covey doctor\`)` }
  yield { type: 'usage', usage: { prompt: 0, completion: 0 } }
  yield { type: 'finish', reason: 'stop', confidence: 1 }
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

const isDenied = (steps: readonly NanoStep[]): boolean => steps.at(-1)?.code === 'denied'

type Telling = {
  readonly run: NanoRun
  readonly request: ModelRequest
  readonly reply: NanoReply
  readonly undone: readonly string[]
}

function* tell(decision: Decision, { run, request, reply, undone }: Telling): Generator<ModelEvent> {
  const isCall = decision.kind === 'call' || decision.kind === 'guess'
  if (isCall) {
    const { name, input } = decision.call
    const id = `nano-${request.runId}-${request.turn}`
    const unsure = decision.kind === 'guess' ? { unsure: decision.why } : {}
    yield { type: 'tool-call', call: { id, name, input: JSON.stringify(input), ...unsure } }
  } else {
    if (REFUSALS.has(decision.kind) || isDenied(run.steps) || undone.length > 0) yield { type: 'refusal' }
    for (const text of (textOf(decision, run) + leftUndone(undone)).split(/(?<=\n)/))
      yield { type: 'text-delta', text }
  }
  yield { type: 'usage', usage: reply.usage }
  yield {
    type: 'finish',
    reason: isCall ? 'tool-calls' : 'stop',
    // All it writes is decisions.
    confidence: Math.min(1, ...reply.confidences),
  }
}

const REFUSALS: ReadonlySet<Decision['kind']> = new Set(['refuse', 'doubt', 'too-long'])

function textOf(decision: Exclude<Decision, { kind: 'call' | 'guess' }>, { steps }: NanoRun): string {
  if (decision.kind === 'doubt') return doubt(decision.call)
  if (decision.kind === 'too-long') return tooLong
  if (decision.kind === 'refuse') return refusal(decision.reason)
  const last = steps.at(-1)
  if (last?.code === 'denied') return notDone(last)
  return last ? renderAnswer(decision.form, last) : refusal('unclear')
}
