/**
 * The prompt of one reply, made to fit. What is given up first is what matters least: older steps, then most of the last
 * result, then the sources, then the end of the request, which is said so that nothing is done on half a sentence. Pure.
 */
import {
  callBody,
  callSegments,
  cut,
  cutResult,
  MAX_REQUEST,
  noSources,
  resultSegments,
  type Sources,
  systemSegments,
  userSegments,
} from './format.ts'
import type { NanoRun, NanoStep } from '../steps/run.ts'
import { type NanoTool, signature } from './tools.ts'
import type { Segment } from '../../embedded/segment.ts'

/** A step, and what is shown behind its result. */
export type PromptStep = NanoStep & {
  readonly next?: { readonly clause: string; readonly sources: Sources }
}

export type PromptParts = Omit<NanoRun, 'steps'> & {
  readonly steps: readonly PromptStep[]
  readonly sources: Sources
  readonly tools: readonly NanoTool[]
}

export type FittedPrompt = { readonly segments: readonly Segment[]; readonly isRequestCut: boolean }

export function fitPrompt(
  parts: PromptParts,
  count: (segments: readonly Segment[]) => number,
  most: number,
): FittedPrompt {
  const signatures = parts.tools.map(signature)
  let smallest: FittedPrompt = { segments: [], isRequestCut: true }
  for (const { request, sources, steps } of smaller(parts)) {
    smallest = {
      segments: [
        ...systemSegments(signatures),
        ...userSegments(request, sources),
        ...steps.flatMap(stepSegments),
      ],
      isRequestCut: request !== parts.request,
    }
    if (count(smallest.segments) <= most) break
  }
  return smallest
}

const stepSegments = ({ call, ok, shown, next }: PromptStep): Segment[] => [
  ...callSegments(callBody(call.name, call.input)),
  ...resultSegments({ ok, text: shown, ...next }),
]

type Shown = Pick<PromptParts, 'request' | 'sources' | 'steps'>

/** The whole, then always less. */
function* smaller(parts: PromptParts): Generator<Shown> {
  const { sources } = parts
  const request = cut(parts.request, MAX_REQUEST, 0)
  const steps = parts.steps.map((step) => ({ ...step, shown: cutResult(step.shown) }))
  yield { request, sources, steps }
  const older = shortened(steps.slice(0, -1), 200)
  for (let from = 0; from < Math.max(1, steps.length); from++)
    yield { request, sources, steps: [...older, ...steps.slice(-1)].slice(from) }
  const last = steps.slice(-1)
  for (const length of [600, 300, 100]) yield { request, sources, steps: shortened(last, length) }
  yield { request, sources: noSources, steps: shortened(last, 100) }
  for (let length = MAX_REQUEST; length >= 1; length = Math.floor(length / 2))
    yield { request: cut(parts.request, length, 0), sources: noSources, steps: bare(last) }
}

const shortened = (steps: readonly PromptStep[], length: number): PromptStep[] =>
  steps.map((step) => ({ ...step, shown: cut(step.shown, length, 0) }))

/** A call may hold all of a long request once more. */
const bare = (steps: readonly PromptStep[]): PromptStep[] =>
  shortened(steps, 100).map(({ call: { name }, ok, text, shown }) => ({
    call: { name, input: {} },
    ok,
    text,
    shown,
  }))
