/**
 * The built-in model: understands a plain request, picks a tool, points at its arguments, and lets code report the
 * result. It reads the request and the results of the run, nothing else, so it looks like any other Model from outside
 * but ignores the system text and older runs. No chat model: what it cannot do it says, with the way to a larger one.
 */
import type { Capabilities } from '../protocol/arm.ts'
import type { Classification } from '../protocol/classification.ts'
import { defined } from '../lib/object.ts'
import { once } from '../lib/once.ts'
import { AppError } from '../protocol/error.ts'
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import { renderAnswer } from './replies/answer.ts'
import { askOn } from './ask.ts'
import type { Asked, Asking } from './asking.ts'
import { classificationFields, toClassification } from './weights/classify.ts'
import { pathsIn } from './checks/contradiction.ts'
import { withCopies } from './project/copied-files.ts'
import { inCopySaid } from './steps/copy-said.ts'
import { type Decision } from './decide.ts'
import {
  createNanoEngine,
  type NanoEngine,
  type NanoEngineOptions,
  type NanoReply,
} from './weights/engine.ts'
import { otherLanguage } from './intent/language.ts'
import { withoutSlips } from './request/slips.ts'
import { typed } from './request/spoken.ts'
import { asTool } from './request/typed-form.ts'
import { inAllPlaces, tidy } from './calls/tidy.ts'
import { classifySegments } from './weights/format.ts'
import { appendByEdit } from './client/append-form.ts'
import { filesNow } from './project/files-now.ts'
import { toClientCall } from './client/bindings.ts'
import { type ClientPlace, forClient, inOwnWords, placeOf, settleGuess, withRoot } from './client/run.ts'
import { nextOne } from './steps/following.ts'
import { lookFor } from './client/look-first.ts'
import { groundsOf } from './checks/grounds.ts'
import { withInsertion } from './insertion/insert.ts'
import { isTrusted } from './checks/likely.ts'
import { inMention } from './steps/mention.ts'
import { missingFile } from './project/missing-file.ts'
import { type Offer, offerNano } from './weights/offer.ts'
import { loadOpinions, type Opinions } from './opinion/load.ts'
import { createPathProject } from './paths/project.ts'
import type { Grounds } from './opinion/trust.ts'
import { rankedContent } from './calls/ranked-content.ts'
import { rankedEdit } from './calls/ranked-edit.ts'
import { currentOf, type Progress, undoneOf } from './steps/progress.ts'
import { createPreparer, type Prepare } from './steps/prepare.ts'
import { pathWords, type ProjectFiles } from './project/sources.ts'
import { recentPaths } from './project/recent.ts'
import { declined, doubt, leftUndone, missing, notDone, refusal, tooLong } from './replies/refusal.ts'
import { LOOK_ID, type NanoCall, type NanoRun, type NanoStep, readRun } from './steps/run.ts'
import { nanoCapabilities } from './capabilities.ts'
import { NANO_ID } from '../protocol/nano-id.ts'

export type NanoOptions = NanoEngineOptions & {
  /** What runs the weights, where that is not this process's own engine: for measurements. */
  readonly engine?: NanoEngine
  /** The file of the classifier that gives a second opinion. */
  readonly opinion?: string
  /** The project's files, for the paths and scripts a request may mean. */
  readonly files: ProjectFiles
  /** Their folder: a client of the API may work in another. */
  readonly root?: string
  /** Called for every reply before it is used: for measurements. */
  readonly onReply?: (reply: NanoReply) => void
  /** Called for every call that may be made for a client without a question: for measurements and training. */
  readonly onGrounds?: (grounds: Grounds) => void
}

export interface NanoModel extends Model {
  readonly capabilities: Capabilities
  /** What a request is about, in one pass over it. */
  classify(prompt: string, signal?: AbortSignal): Promise<Classification>
  /** Loads the weights ahead of the first request. */
  load(): Promise<void>
  close(): Promise<void>
}

export function createNanoModel({ files, root, onReply, onGrounds, ...options }: NanoOptions): NanoModel {
  const engine = options.engine ?? createNanoEngine(options)
  const classify = (prompt: string, signal: AbortSignal): Promise<Classification | undefined> =>
    classifyWith(engine, { prompt }, signal)
  const prepare = createPreparer({ classify })
  const { opinion } = options
  const loadOpinion = opinion === undefined ? undefined : once(() => loadOpinions(opinion))
  return {
    name: NANO_ID,
    capabilities: nanoCapabilities,
    stream: (request, signal) =>
      answer(
        { engine, files, prepare, ...defined({ root, onReply, onGrounds, loadOpinion }) },
        request,
        signal,
      ),
    async classify(prompt, signal = new AbortController().signal) {
      const opinions = await loadOpinion?.()
      const found = await classifyWith(engine, { prompt, ...defined({ opinions }) }, signal)
      if (!found) throw new AppError('model-unavailable', `${NANO_ID}: the classification was cancelled.`)
      return found
    },
    load: async () => void (await Promise.all([engine.load(), loadOpinion?.()])),
    close: () => engine.close(),
  }
}

async function classifyWith(
  engine: NanoEngine,
  { prompt, opinions }: { readonly prompt: string; readonly opinions?: Opinions },
  signal: AbortSignal,
): Promise<Classification | undefined> {
  const scores = await engine.score(classifySegments(prompt), classificationFields, signal)
  return scores && toClassification(scores, opinions?.action(prompt, { project: NO_PROJECT }))
}

/** A request is classified by its words alone. */
const NO_PROJECT = createPathProject([], new Map())

type Parts = Pick<NanoOptions, 'onReply' | 'onGrounds' | 'files' | 'root'> & {
  readonly engine: NanoEngine
  readonly prepare: Prepare
  readonly loadOpinion?: () => Promise<Opinions>
}

async function* answer(parts: Parts, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const { engine, prepare, onReply } = parts
  const said = readRun(request)
  const opinions = await parts.loadOpinion?.()
  const plain = typed(said.request)
  if (said.isDeclined) return yield* tellPlainly(declined)
  const foreign = otherLanguage(plain)
  if (foreign !== undefined) return yield* tellPlainly(`${foreign} (\`covey doctor\`)`)
  const own = { ...parts, files: filesNow(parts.files) }
  const found = await placeOf(inOwnWords({ ...said, request: plain }, request), request, own)
  const words = opinions ? await corrected(plain, opinions, found.files) : plain
  const place = { ...found, run: { ...found.run, request: words } }
  const { run } = place
  const files = withCopies(place.files, run.steps)
  const progress = await prepare(request, { ...place, files, ...defined({ opinions }) }, signal)
  if (!progress) return
  const offer = offerNano({
    category: progress.category,
    request: words,
    tools: request.tools,
    guarded: request.guarded === true,
  })
  const asking = { engine, files, run, progress, offer, request, ...defined({ opinions }) }
  const asked = (await nextOne(asking)) ?? (await askOn(asking, signal, onReply))
  if (!asked) return
  const look = lookBefore(asked, { place, progress, offer })
  if (look) return yield* tellLook(withRoot(look, request), request, asked.reply)
  const settled = await settledOf(asked, asking, parts.onGrounds)
  const decision = withMissing(settled, { place, progress, opinions })
  const undone = undoneOf(progress, run.steps)
  const bound = await forClient(decision, { offer, request, files })
  yield* tell(bound, { run, request, reply: asked.reply, undone })
}

/** A word that a file is called by is no slip. */
async function corrected(request: string, { knows }: Opinions, files: ProjectFiles): Promise<string> {
  if (withoutSlips(request, knows) === request) return request
  const names = await pathWords(files)
  return withoutSlips(request, (word) => knows(word) || names.has(word))
}

/** What is made of a reply, with what the project and the steps before it say. */
async function settledOf(asked: Asked, asking: Asking, onGrounds: Parts['onGrounds']): Promise<Decision> {
  const { reply, agreement } = asked
  const { files, run, progress, offer, request, opinions } = asking
  const decision = asTool(asked.decision, (name) => offer.shown.some((tool) => tool.name === name))
  const { sources, clause, from } = currentOf(progress)
  const recent = recentPaths(run.steps)
  const heard = { clause, lines: sources.lines, paths: pathsIn({ sources, recent }), recent }
  const step = { ...run, clause, files, isBegun: run.steps.length > from }
  const tidied = await tidy(decision, { ...step, ...heard, project: progress.project.files })
  const ranked = opinions
    ? await rankedEdit(tidied, { ...step, reply, opinions, ...defined({ agreement }) })
    : tidied
  const about = { request: run.request, clause, project: progress.project, recent }
  const written = opinions ? await rankedContent(ranked, { ...step, ...about, reply, opinions }) : ranked
  const mentioned = await inMention(written, { ...step, from, paths: progress.project.files })
  const everywhere = await inAllPlaces(await inCopySaid(mentioned, step), files)
  const placed = await withInsertion(everywhere, { ...step, offer })
  const bound = await appendByEdit(placed, offer.bindings, files)
  if (placed.kind !== 'guess' || request.guarded) return bound
  const grounds =
    opinions &&
    (await groundsOf(placed, {
      ...about,
      asked,
      said: heard,
      files,
      steps: run.steps,
      before: from,
      opinions,
    }))
  if (grounds) onGrounds?.(grounds)
  const trust = grounds && opinions ? opinions.trust(grounds) : 0
  const isMeant = isTrusted(placed, { said: heard, request: run.request, trust })
  return settleGuess(bound, isMeant, run.confirmed)
}

/** Of a client's own folder it is not known what is there; a later step may be about what an earlier one made. */
function withMissing(decision: Decision, { place, progress, opinions }: Known): Decision {
  const { seen, run } = place
  if (!('call' in decision) || seen || run.steps.length > 0) return decision
  const { files, texts } = progress.project
  const path = missingFile(decision.call, run.request, {
    files,
    texts,
    ...defined({ knows: opinions?.knows }),
  })
  return path === undefined ? decision : { kind: 'missing', path }
}

type Known = {
  readonly place: ClientPlace
  readonly progress: Progress
  readonly opinions: Opinions | undefined
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

/** What needs no model to be said. */
function* tellPlainly(text: string): Generator<ModelEvent> {
  yield { type: 'refusal' }
  yield { type: 'text-delta', text }
  yield { type: 'usage', usage: { prompt: 0, completion: 0 } }
  yield { type: 'finish', reason: 'stop', confidence: 1 }
}

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
    // A question is about one part: what is left undone is told with the answer.
    const rest = decision.kind === 'ask' ? '' : leftUndone(undone)
    for (const text of (textOf(decision, run) + rest).split(/(?<=\n)/)) yield { type: 'text-delta', text }
  }
  yield { type: 'usage', usage: reply.usage }
  yield {
    type: 'finish',
    reason: isCall ? 'tool-calls' : 'stop',
    // All it writes is decisions.
    confidence: Math.min(1, ...reply.confidences),
  }
}

const REFUSALS: ReadonlySet<Decision['kind']> = new Set(['refuse', 'ask', 'doubt', 'missing', 'too-long'])

function textOf(decision: Exclude<Decision, { kind: 'call' | 'guess' }>, { steps }: NanoRun): string {
  if (decision.kind === 'ask') return decision.question
  if (decision.kind === 'doubt') return doubt(decision.call)
  if (decision.kind === 'missing') return missing(decision.path)
  if (decision.kind === 'too-long') return tooLong
  if (decision.kind === 'refuse') return refusal(decision.reason)
  const last = steps.at(-1)
  if (last?.code === 'denied') return notDone(last)
  return last ? renderAnswer(decision.form, last) : refusal('unclear')
}
