/**
 * Long work in small windows, the acting half. The plan is on disk before and after every packet, and so is the
 * session of a packet before its first prompt: a queue that was killed at any moment goes on where it was.
 */
import type { QueueEnd } from '../protocol/plan-service.ts'
import type { Plan } from './plan.ts'
import {
  goOnPrompt,
  judgePacket,
  nextStep,
  type PacketEnd,
  type PacketLimits,
  packetPrompt,
  type QueueLimits,
} from './queue.ts'
import type { PlanStore } from './store.ts'

export type Packet = PacketLimits & {
  readonly prompt: string
  /** The task alone, for a model that reads nothing else. */
  readonly task: string
  /** The command that decides whether the task is done. */
  readonly check?: string
  /** What is said instead to a session that was interrupted. */
  readonly goOn: string
  /** The session of this packet, where it was begun before. */
  readonly session?: string
  /** Called before the first prompt: an unknown session cannot be continued. */
  onSession(id: string): Promise<void>
}

export type RunPacket = (packet: Packet, signal: AbortSignal) => Promise<PacketEnd>

const queueLimits: QueueLimits = { maxTurns: 12, maxCalls: 20, maxPackets: 20 }

type QueueParts = {
  readonly store: PlanStore
  readonly runPacket: RunPacket
  readonly limits?: Partial<QueueLimits>
  /** Told before and after each packet. */
  onStep?(plan: Plan): void
}

export async function runQueue(parts: QueueParts, signal: AbortSignal): Promise<QueueEnd> {
  const limits = { ...queueLimits, ...parts.limits }
  const held = await parts.store.holdQueue()
  try {
    return await work({ ...parts, limits }, signal)
  } finally {
    await held.release()
  }
}

type Working = QueueParts & { readonly limits: QueueLimits }

async function work(parts: Working, signal: AbortSignal): Promise<QueueEnd> {
  const { store } = parts
  for (let packets = 0; ; packets++) {
    if (signal.aborted) return { why: 'cancelled', packets }
    const step = nextStep(await store.read(), parts.limits)
    if (step.kind === 'end') {
      if (step.changes.length > 0) tell(parts, await store.change(...step.changes))
      return { why: step.why, packets }
    }
    const plan = await store.change(...step.changes)
    tell(parts, plan)
    const ended = await runOne(parts, { plan, id: step.task }, signal)
    if (ended) return { ...ended, packets: packets + 1 }
  }
}

const tell = ({ onStep }: QueueParts, plan: Plan): void => onStep?.(plan)

/** Returns why the queue cannot go on, if so. The session stays noted then: next time it is gone on with. */
async function runOne(
  parts: Working,
  { plan, id }: { readonly plan: Plan; readonly id: number },
  signal: AbortSignal,
): Promise<Pick<QueueEnd, 'why' | 'text'> | undefined> {
  const { store, runPacket, limits } = parts
  const task = plan.tasks.find((each) => each.id === id)
  if (!task) return undefined
  const end = await runPacket(
    {
      maxTurns: limits.maxTurns,
      maxCalls: limits.maxCalls,
      prompt: packetPrompt(plan, task, limits),
      task: task.text,
      goOn: goOnPrompt(task),
      ...(task.check !== undefined && { check: task.check }),
      ...(task.openSession !== undefined && { session: task.openSession }),
      onSession: async (session) => void (await store.change({ type: 'packet', task: `${id}`, session })),
    },
    signal,
  )
  if (signal.aborted || end.reason === 'cancelled') return { why: 'cancelled' }
  if (end.reason === 'error') return { why: 'error', text: end.text }
  const now = await store.read()
  const isOpen = now.tasks.some((each) => each.id === id && each.state === 'in_progress')
  // With the tool the model may have ended the task itself, or paused everything: then it stays as it left it.
  if (isOpen && now.phase === 'executing') tell(parts, await store.change(judgePacket(task, end)))
  return undefined
}
