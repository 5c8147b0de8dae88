/**
 * What the weights are asked: the prompt for the clause a run has come to, and the grammar of all they may answer. Reads nothing.
 */
import type { ModelRequest } from '../../protocol/model.ts'
import type { Ban } from './ban.ts'
import type { Situation } from './choices.ts'
import { NANO_WINDOW, type NanoEngine, type NanoReply } from './engine.ts'
import { cutResult, noSources, type Sources } from './format.ts'
import { nanoGrammar } from './grammar.ts'
import type { Offer } from './offer.ts'
import { oldTexts } from '../checks/old-text.ts'
import { currentOf, type Progress, shownSteps } from '../steps/progress.ts'
import { fitPrompt } from './prompt.ts'
import { recentPaths } from '../project/recent.ts'
import type { NanoRun, NanoStep } from '../steps/run.ts'
import { foldersOf } from '../calls/targets.ts'
import type { NanoTool } from './tools.ts'

/** Kept free for the reply. */
const RESERVE = 400
/** A run that long has lost its way. */
const MOST_CALLS = 8

export type Question = {
  readonly engine: NanoEngine
  readonly run: NanoRun
  readonly progress: Progress
  readonly offer: Offer
  readonly request: ModelRequest
  /** Nothing but a call will do. */
  readonly mustCall?: boolean
  /** The only tools that will do. */
  readonly only?: readonly string[]
}

type Written = {
  readonly reply: NanoReply
  /** The request was too long to be shown whole. */
  readonly isRequestCut: boolean
}

/** Nothing when `signal` aborts. */
export async function askWeights(
  { engine, run, progress, offer, request, mustCall, only }: Question,
  bans: readonly Ban[],
  signal: AbortSignal,
): Promise<Written | undefined> {
  const part = currentOf(progress)
  const [steps, sources] = [shownSteps(progress, run.steps), progress.reached[0]?.sources ?? noSources]
  let isRequestCut = false
  const reply = await engine.reply(
    {
      sessionId: request.sessionId,
      grammar: nanoGrammar({
        ...situationOf(run, { sources: part.sources, ...eligible(request, offer) }),
        ...(mustCall && { mustCall }),
        ...(only && { tools: offer.shown.filter(({ name }) => only.includes(name)) }),
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
  return reply && { reply, isRequestCut }
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
export const isOver = (steps: readonly NanoStep[]): boolean =>
  steps.length >= MOST_CALLS || ['denied', 'refused', 'interrupted'].includes(steps.at(-1)?.code ?? '')
