/**
 * A run of a client of the API: its calls and results in nano's own words, where it works, and what nano decided as a call of the
 * client's own tools. Nobody can be asked there, so that a guess is called only if it is likely.
 */
import { resolve } from 'node:path'
import type { ModelRequest } from '../../protocol/model.ts'
import { bindTools, isReachable, toClientCall, toNanoCall, withoutShell } from './bindings.ts'
import { inOwnResult, rootIn } from './client-results.ts'
import type { Decision } from './decide.ts'
import { EVERYTHING } from './look-first.ts'
import type { Offer } from './offer.ts'
import type { ProjectFiles } from './project.ts'
import { inOwnForm, type NanoRun, type NanoStep } from './run.ts'
import { seenFiles, type SeenFiles } from './seen-files.ts'

/** Calls and results as those of Covey's own tools; those of another program are worded in other ways. */
export function inOwnWords({ steps, ...run }: NanoRun, { guarded, system, tools }: ModelRequest): NanoRun {
  if (steps.length === 0) return { ...run, steps }
  const bindings = bindTools(tools)
  const root = rootIn(system)
  const toOwn = (step: NanoStep): NanoStep => {
    const call = toNanoCall(step.call, bindings)
    return guarded ? inOwnForm({ ...step, call }) : inOwnResult({ ...step, call: withoutShell(call) }, root)
  }
  return { ...run, steps: steps.map(toOwn) }
}

export type ClientPlace = {
  readonly files: ProjectFiles
  /** What is known of the client's folder, where that is not the server's. */
  readonly seen?: SeenFiles
  /** What was looked at before anything was decided. */
  readonly looks: readonly NanoStep[]
  /** Without these. */
  readonly run: NanoRun
}

type Own = { readonly files: ProjectFiles; readonly root?: string }

/** The server's folder is the client's, unless the client names another, or there is nothing in it. */
export async function placeOf(run: NanoRun, request: ModelRequest, { files, root }: Own): Promise<ClientPlace> {
  if (request.guarded || !(await isAway(request, { files, ...(root !== undefined && { root }) })))
    return { files, looks: [], run }
  const seen = seenFiles(run.steps)
  const isLook = (step: NanoStep): boolean => step.isLook === true || step.call.input['pattern'] === EVERYTHING
  const looks = run.steps.filter(isLook)
  return { files: seen, seen, looks, run: { ...run, steps: run.steps.filter((step) => !isLook(step)) } }
}

async function isAway({ system }: ModelRequest, { files, root }: Own): Promise<boolean> {
  const named = rootIn(system)
  if (named !== undefined && root !== undefined) return resolve(named) !== resolve(root)
  return (await files.list('.').catch(() => [])).length === 0
}

/** Where no guard can ask the user, a guess is called only if it is likely: the client has permissions of its own. */
export function settleGuess(decision: Decision, { guarded }: ModelRequest): Decision {
  if (decision.kind !== 'guess' || guarded) return decision
  return { kind: decision.isLikely ? 'call' : 'doubt', call: decision.call }
}

/** What nano decided, with the tools the client has. A tool that is not there is no reason to take another. */
export function forClient(decision: Decision, { callable, bindings }: Offer): Decision {
  if (!('call' in decision)) return decision
  const { call } = decision
  const isThere = callable.some(({ name }) => name === call.name)
  const bound = isThere && isReachable(call.name, bindings) ? toClientCall(call, bindings) : call
  return isThere && bound ? { ...decision, call: bound } : { kind: 'refuse', reason: 'no-tool' }
}
