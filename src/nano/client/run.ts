/**
 * A run of a client of the API: its calls and results in nano's own words, where it works, and what nano decided as a call of the
 * client's own tools. The user cannot be asked there, so a guess is called only if it is likely.
 */
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isObject } from '../../lib/json.ts'
import type { ModelRequest } from '../../protocol/model.ts'
import { bindTools, isReachable, toClientCall, toNanoCall, toNewFolder, withoutShell } from './bindings.ts'
import { asAppend } from './append-form.ts'
import { inOwnResult, rootIn } from './results.ts'
import { propertiesOf } from './tools.ts'
import { isConfirmed, questionOf } from './consent.ts'
import type { Decision } from '../decide.ts'
import { EVERYTHING } from './look-first.ts'
import type { Offer } from '../weights/offer.ts'
import type { ProjectFiles } from '../project/sources.ts'
import { inOwnForm, type NanoCall, type NanoRun, type NanoStep } from '../steps/run.ts'
import { seenFiles, type SeenFiles } from './seen-files.ts'

/** Calls and results as those of Covey's own tools; those of another program are worded in other ways. */
export function inOwnWords({ steps, ...run }: NanoRun, { guarded, system, tools }: ModelRequest): NanoRun {
  if (steps.length === 0) return { ...run, steps }
  const bindings = bindTools(tools)
  const root = rootIn(system)
  const toOwn = (step: NanoStep): NanoStep => {
    const call = toNanoCall(guarded ? step.call : withoutRoot(step.call, root), bindings)
    return guarded
      ? inOwnForm({ ...step, call })
      : inOwnResult({ ...step, call: asAppend(withoutShell(call)) }, root)
  }
  return { ...run, steps: steps.map(toOwn) }
}

const withoutRoot = ({ name, input }: NanoCall, root = ''): NanoCall => {
  const prefix = `${root}/`
  const strip = (value: unknown): unknown =>
    root !== '' && typeof value === 'string' && value.startsWith(prefix) ? value.slice(prefix.length) : value
  return { name, input: Object.fromEntries(Object.entries(input).map(([key, value]) => [key, strip(value)])) }
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
export async function placeOf(
  run: NanoRun,
  request: ModelRequest,
  { files, root }: Own,
): Promise<ClientPlace> {
  if (request.guarded || !(await isAway(request, { files, ...(root !== undefined && { root }) })))
    return { files, looks: [], run }
  const seen = seenFiles(run.steps)
  const isLook = (step: NanoStep): boolean =>
    step.isLook === true || step.call.input['pattern'] === EVERYTHING
  const looks = run.steps.filter(isLook)
  return { files: seen, seen, looks, run: { ...run, steps: run.steps.filter((step) => !isLook(step)) } }
}

async function isAway({ system }: ModelRequest, { files, root }: Own): Promise<boolean> {
  const named = rootIn(system)
  if (named !== undefined && root !== undefined) return resolve(named) !== resolve(root)
  return (await files.list('.').catch(() => [])).length === 0
}

/**
 * Where no guard can ask the user, a guess is called only if it is meant beyond doubt: the client has permissions of its own. Otherwise the
 * question is the answer, and a yes to it makes the call.
 */
export function settleGuess(decision: Decision, isMeant: boolean, confirmed: NanoRun['confirmed']): Decision {
  if (decision.kind !== 'guess') return decision
  const { call, why } = decision
  const question = questionOf(asAppend(call), why)
  return isMeant || isConfirmed(question, confirmed)
    ? { kind: 'call', call }
    : { kind: 'ask', call, question }
}

type Client = { readonly offer: Offer; readonly request: ModelRequest; readonly files: ProjectFiles }

/** What nano decided, with the tools the client has. A tool that is not there is no reason to take another. */
export async function forClient(decision: Decision, { offer, request, files }: Client): Promise<Decision> {
  if (!('call' in decision)) return decision
  const { callable, bindings } = offer
  const { call } = decision
  const isThere = callable.some(({ name }) => name === call.name)
  const isNew = request.guarded !== true && (await isIntoNewFolder(call, files))
  const bind = isNew ? toNewFolder : toClientCall
  const bound = isThere && isReachable(call.name, bindings) ? bind(call, bindings) : call
  return isThere && bound
    ? { ...decision, call: withRoot(bound, request) }
    : { kind: 'refuse', reason: 'no-tool' }
}

/** Covey's own tools make the folder a file is copied or moved to; those of others fail. */
async function isIntoNewFolder({ name, input: { to } }: NanoCall, files: ProjectFiles): Promise<boolean> {
  if (!['copy_file', 'move_file'].includes(name) || typeof to !== 'string') return false
  const folder = dirname(to)
  return folder !== '.' && (await files.info(folder).catch(() => undefined)) === undefined
}

/** A tool that asks for whole paths is given them, where the client has told its folder. */
export function withRoot({ name, input }: NanoCall, { system, tools, guarded }: ModelRequest): NanoCall {
  const root = guarded ? undefined : rootIn(system)
  const schema = tools.find((tool) => tool.name === name)
  if (root === undefined || !schema) return { name, input }
  const properties = propertiesOf(schema)
  const isWhole = (key: string): boolean => {
    const property = properties[key]
    const said =
      isObject(property) && typeof property['description'] === 'string' ? property['description'] : ''
    return /absolute/i.test(`${key} ${said}`) && !/relative/i.test(said)
  }
  const whole = ([key, value]: [string, unknown]): [string, unknown] =>
    typeof value === 'string' && isWhole(key) && !isAbsolute(value) ? [key, join(root, value)] : [key, value]
  return { name, input: Object.fromEntries(Object.entries(input).map(whole)) }
}
