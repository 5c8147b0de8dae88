/** Which machine answers a request that one machine can answer. A run stays where it began: its prefix is there. */
import type { Machine } from './machine.ts'
import { type MachineLoad, quickest, USUAL, type WaitFacts } from './wait.ts'

export type PlacementRequest = {
  readonly model: string
  readonly machines: readonly Machine[]
  /** Where it would be answered anyway: on this machine, which is so busy, or on another one. */
  readonly home: WaitFacts | Machine
  readonly tokens: number
  /** What is known of a machine without its word: measured speeds, and what this machine asks of it. Absent = nothing. */
  seen?(machine: Machine): Partial<Pick<WaitFacts, 'prefill' | 'decode' | 'running'>>
  readonly runId?: string
}

const HERE = 'here'
const MAX_RUNS = 1_000

/** The machine to go to instead of the usual place, if any. */
export function createPlacing(): (wish: PlacementRequest) => Machine | undefined {
  const runs = new Map<string, string>()
  return ({ model, machines, home, tokens, seen, runId }) => {
    const others = machines.flatMap((machine) => placeOf(machine, model, seen?.(machine) ?? {}))
    const homeId = 'id' in home ? home.id : HERE
    const usual = 'id' in home ? others.find(({ id }) => id === homeId) : { id: HERE, facts: home }
    const places = [...(usual ? [usual] : []), ...others.filter(({ id }) => id !== homeId)]
    const kept = runId === undefined ? undefined : runs.get(runId)
    const chosen = places.find(({ id }) => id === kept) ?? quickest(places, tokens)
    if (runId !== undefined && chosen) remember(runs, runId, chosen.id)
    return chosen && chosen.id !== homeId ? machines.find(({ id }) => id === chosen.id) : undefined
  }
}

/** None where it is gone, or has not got this model. */
function placeOf(machine: Machine, model: string, seen: Seen): readonly MachineLoad[] {
  const state = machine.state()
  if (state.state === 'gone') return []
  const { waiting, running, models } = state.report
  const offered = models.find(({ id }) => id === model)
  if (!offered) return []
  const { running: own = 0, ...measured } = seen
  const busy = { waiting, running: Math.max(running, own), roundTripMs: state.roundTripMs }
  return [{ id: machine.id, facts: { ...believable(offered), ...measured, ...busy } }]
}

type Seen = ReturnType<NonNullable<PlacementRequest['seen']>>

type Speeds = Pick<WaitFacts, 'prefill' | 'decode'>

/** A claim makes a machine slower than usual, never faster: that has to be measured. */
const believable = ({ prefill, decode }: Speeds): Speeds => ({
  ...(prefill !== undefined && { prefill: Math.min(prefill, USUAL.prefill) }),
  ...(decode !== undefined && { decode: Math.min(decode, USUAL.decode) }),
})

function remember(runs: Map<string, string>, runId: string, place: string): void {
  runs.delete(runId)
  runs.set(runId, place)
  const [oldest] = runs.keys()
  if (runs.size > MAX_RUNS && oldest !== undefined) runs.delete(oldest)
}
