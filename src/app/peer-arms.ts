/**
 * Models of other machines as arms. An arm is made once for each model of each machine and kept while that is out of
 * reach, so that what was learnt about it is not lost; whether it can be asked is said anew each time.
 */
import { armSizes } from './arm-sizes.ts'
import { shortId } from '../federation/identity.ts'
import { ANY, type Machine } from '../federation/machine.ts'
import { AppError } from '../protocol/error.ts'
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import { capabilitiesOf } from '../provider/arm-models.ts'
import { type Arm, createArm } from '../router/arm.ts'
import type { RouterArm } from '../router/snapshot.ts'
import { NANO_ID } from '../protocol/nano-id.ts'
import { SMALLEST_WINDOW } from '../protocol/token-limits.ts'

const PREFIX = 'peer/'

/** What the machine that has it calls the model of an arm. */
export const modelOf = (arm: string): string =>
  arm.startsWith(PREFIX) ? arm.split('/').slice(2).join('/') : arm

export type PeerArms = {
  of(machines: readonly Machine[]): readonly RouterArm[]
  find(machine: Machine, model: string): Arm | undefined
  /**
   * What is known of it without asking it: its speeds as measured here, once it answered, and how much this machine
   * asks of it now.
   */
  seen(machine: Machine, model: string): Speeds & { readonly running: number }
  id(machine: Machine, model: string): string
}

export function createPeerArms(find: FindMachine): PeerArms {
  const known = new Map<string, KnownArm>()
  /** What each machine is called, by its id. */
  const names = new Map<string, string>()
  const running: Running = new Map()
  const id = (machine: Machine, model: string) => `${PREFIX}${labelOf(machine, names)}/${model}`
  const of = (machines: readonly Machine[]): readonly RouterArm[] => {
    const gone = new Map<string, string>()
    const here = new Set<string>()
    for (const machine of machines) labelOf(machine, names)
    for (const machine of machines) {
      const state = machine.state()
      if (state.state === 'gone') gone.set(machine.id, state.why)
      for (const offered of state.state === 'here' ? state.report.models : []) {
        const name = id(machine, offered.id)
        here.add(name)
        if (isSame(known.get(name)?.offered, offered)) continue
        const speeds = known.get(name)?.arm.profile().capabilities.speeds ?? {}
        const arm = toArm({ name, machine, offered, speeds }, { find, running })
        known.set(name, { arm, machine: machine.id, offered })
      }
    }
    forgetOldNames(known, names)
    forget(known, here)
    // The built-in model runs on this machine, too.
    return [...known]
      .filter(([arm]) => modelOf(arm) !== NANO_ID)
      .map(([name, { arm, machine }]) => {
        const why = here.has(name) ? undefined : (gone.get(machine) ?? 'it no longer offers this model')
        return { arm, tier: 'peer', ...(why !== undefined && { gone: why }) }
      })
  }
  return {
    of,
    find: (machine, model) => {
      of([machine])
      return known.get(id(machine, model))?.arm
    },
    seen: (machine, model) => ({
      ...known.get(id(machine, model))?.arm.profile().capabilities.speeds,
      running: running.get(machine.id) ?? 0,
    }),
    id,
  }
}

type Speeds = { readonly prefill?: number; readonly decode?: number }

type KnownArm = { readonly arm: Arm; readonly machine: string; readonly offered: OfferedModel }

/** A model that was started anew with another window is another one; that it got faster is no news. */
const isSame = (known: OfferedModel | undefined, offered: OfferedModel): boolean =>
  known?.window === offered.window && known.vision === offered.vision

const MAX_ARMS = 1_000

/** A machine may claim new models for ever; those it no longer has make room. */
function forget(known: Map<string, KnownArm>, here: ReadonlySet<string>): void {
  for (const name of known.keys()) {
    if (known.size <= MAX_ARMS) return
    if (!here.has(name)) known.delete(name)
  }
}

/** Of machines that got a longer name since, because another one has the same. */
function forgetOldNames(known: Map<string, KnownArm>, names: Map<string, string>): void {
  const labels = new Map([...names].map(([id, name]) => [id, labelOf({ id, name }, names)]))
  for (const [name, { machine }] of known) {
    if (!name.startsWith(`${PREFIX}${labels.get(machine)}/`)) known.delete(name)
  }
}

/**
 * Its name as far as an id allows; with a part of its key where another machine has that name, or where it could be
 * taken for the line or for a name with such a part: a name is a claim, and the one who claimed it first has no better
 * right to it.
 */
function labelOf({ id, name }: Pick<Machine, 'id' | 'name'>, names: Map<string, string>): string {
  const plain = names.get(id) ?? (name.replaceAll(/[^\w.-]+/g, '-').slice(0, 40) || 'machine')
  names.set(id, plain)
  if (id === ANY) return ANY
  const isAlike = (other: string) => other.toLowerCase() === plain.toLowerCase()
  const isShared = [...names].some(([other, its]) => other !== id && isAlike(its))
  return isShared || isAlike(ANY) || /-[0-9a-f]{8}$/i.test(plain) ? `${plain}-${shortId(id)}` : plain
}

/** The arms that a name with nothing added could mean, where several machines have that name. */
export function sharedName(wish: string, arms: readonly string[]): readonly string[] {
  const [, name = '', ...model] = wish.split('/')
  const meant = arms.filter((arm) => {
    const [, label = '', ...its] = arm.split('/')
    const part = label.slice(name.length)
    return label.startsWith(name) && /^-[0-9a-f]{8}$/.test(part) && its.join('/') === model.join('/')
  })
  return meant.length > 1 ? meant : []
}

type OfferedModel = {
  readonly id: string
  readonly window: number
  readonly vision: boolean
}

type FindMachine = (id: string) => Machine | undefined

/**
 * A machine is looked up for each request: the way to it may have been opened anew since. What it says it took is
 * believed only as far as it can be seen from here, because speeds are measured by it.
 */
const modelOn = ({ id, name }: Machine, model: string, parts: ModelOnParts): Model => ({
  name: model,
  async *stream(request, signal) {
    const machine = parts.find(id)
    if (!machine) throw new AppError('model-unavailable', `${name} is not known to this machine any more.`)
    let written = 0
    const { running } = parts
    running.set(id, (running.get(id) ?? 0) + 1)
    try {
      for await (const event of machine.model(model).stream(request, signal)) {
        written += writtenIn(event, parts.count)
        const seen = { prompt: parts.countRequest(request), written }
        yield event.type === 'usage' ? seenUsage(event, seen) : event
      }
    } finally {
      const left = (running.get(id) ?? 1) - 1
      if (left > 0) running.set(id, left)
      else running.delete(id)
    }
  },
})

/** Requests of this machine that others are answering now, by machine. */
type Running = Map<string, number>

type Asking = { readonly find: FindMachine; readonly running: Running }

type ModelOnParts = Asking & {
  count(text: string): number
  countRequest(request: ModelRequest): number
}

function writtenIn(event: ModelEvent, count: ModelOnParts['count']): number {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return count(event.text)
  return event.type === 'tool-call' ? count(event.call.name) + count(event.call.input) : 0
}

type UsageEvent = Extract<ModelEvent, { type: 'usage' }>

function seenUsage(
  { usage }: UsageEvent,
  seen: { readonly prompt: number; readonly written: number },
): UsageEvent {
  const { prompt, completion, ...rest } = usage
  return {
    type: 'usage',
    usage: {
      ...rest,
      prompt: Math.min(prompt, 2 * seen.prompt),
      completion: Math.min(completion, 2 * seen.written),
    },
  }
}

type ToArm = {
  readonly name: string
  readonly machine: Machine
  readonly offered: OfferedModel
  /** What was measured before; what the machine says of its speed is not believed. */
  readonly speeds: Speeds
}

function toArm({ name: id, machine, offered, speeds }: ToArm, asking: Asking): Arm {
  const { id: model, window, vision } = offered
  const known = { window: Math.max(SMALLEST_WINDOW, window), vision, tools: 'native' } as const
  const settings = { id, kind: 'openai-compatible', model, headers: {}, local: false, known } as const
  const capabilities = { ...capabilitiesOf(settings, undefined), speeds }
  const sizes = armSizes()
  const native = modelOn(machine, model, {
    ...asking,
    count: (text) => sizes.counter.count(text),
    countRequest: sizes.countRequest,
  })
  const arm = createArm({ id, local: false, capabilities, native, ...sizes })
  const leased = { id: machine.id, name: machine.name }
  return { ...arm, lease: (why) => ({ ...arm.lease(why), machine: leased }) }
}
