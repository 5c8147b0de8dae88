/**
 * What makes a swarm out of the arms there are: how many answer, who else does on other machines, and who decides
 * where they do not agree.
 */
import type { Answering } from './model.ts'
import type { Config } from '../config/schema.ts'
import { toSwarmPolicy } from '../config/swarm.ts'
import type { Model, Usage } from '../protocol/model.ts'
import type { Arm } from '../router/arm.ts'
import type { SwarmSettings } from '../swarm/lease.ts'

type Arms = Pick<Answering, 'arms' | 'open' | 'flock'>

export async function openSwarming(
  { swarm }: Config,
  arms: Arms,
  incognito: boolean,
): Promise<SwarmSettings> {
  const { flock } = arms
  const arbiter = swarm.arbiter === undefined ? undefined : await findArbiter(swarm.arbiter, arms, incognito)
  return {
    workers: swarm.workers,
    policy: toSwarmPolicy(swarm),
    ...(flock && { elsewhere: flock.elsewhere }),
    ...(arbiter && { arbiter: { name: arbiter.id, model: leased(arbiter), ...machineOf(arbiter) } }),
  }
}

/** The other machine it is on, if it is on one. */
function machineOf(arm: Arm): { readonly machine?: string } {
  const { machine } = arm.lease('decides where the workers do not agree')
  return machine ? { machine: machine.id } : {}
}

/** Opened before anybody asks, so that a wrong name fails at once. In incognito only a local one is used. */
async function findArbiter(id: string, { arms, open }: Arms, incognito: boolean): Promise<Arm | undefined> {
  const found = arms().find((arm) => arm.id === id)
  if (found) return found
  return open(id).catch((error: unknown) => {
    if (incognito) return undefined
    throw error
  })
}

/** Reserved only while it answers. */
const leased = (arm: Arm): Model => ({
  name: arm.id,
  async *stream(request, signal) {
    const lease = arm.lease('decides where the workers do not agree')
    let usage: Usage | undefined
    let end = () => lease.commit(usage)
    try {
      for await (const event of lease.model.stream(request, signal)) {
        if (event.type === 'usage') usage = event.usage
        yield event
      }
    } catch (error) {
      end = () => lease.release(error)
      throw error
    } finally {
      end()
    }
  },
})
