/** Which machine answers a request that one machine can answer. A run stays where it began: its prefix is there. */
import type { Machine } from './machine.ts'
import { type Place, quickest, type WaitFacts } from './wait.ts'

export type PlaceWish = {
  readonly model: string
  readonly machines: readonly Machine[]
  /** Where it would be answered anyway: on this machine, which is so busy, or on another one. */
  readonly home: WaitFacts | Machine
  readonly tokens: number
  readonly runId?: string
}

const HERE = 'here'
const MAX_RUNS = 1_000

/** The machine to go to instead of the usual place, if any. */
export function createPlacing(): (wish: PlaceWish) => Machine | undefined {
  const runs = new Map<string, string>()
  return ({ model, machines, home, tokens, runId }) => {
    const others = machines.flatMap((machine) => placeOf(machine, model))
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
function placeOf(machine: Machine, model: string): readonly Place[] {
  const state = machine.state()
  if (state.state === 'gone') return []
  const { waiting, running, models } = state.report
  const offered = models.find(({ id }) => id === model)
  if (!offered) return []
  return [{ id: machine.id, facts: { ...offered, waiting, running, roundTripMs: state.roundTripMs } }]
}

function remember(runs: Map<string, string>, runId: string, place: string): void {
  runs.delete(runId)
  runs.set(runId, place)
  const [oldest] = runs.keys()
  if (runs.size > MAX_RUNS && oldest !== undefined) runs.delete(oldest)
}
