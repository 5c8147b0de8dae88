/**
 * What a project is about to do, as a value: a phase, tasks, a notebook. `change.ts` is the way from one to the next.
 */

export const phases = ['planning', 'executing', 'reviewing', 'complete', 'paused'] as const
export type Phase = (typeof phases)[number]

/** Where each phase may go. `complete` is final. */
export const moves: Readonly<Record<Phase, readonly Phase[]>> = {
  planning: ['executing', 'paused'],
  executing: ['reviewing', 'paused'],
  reviewing: ['executing', 'complete', 'paused'],
  paused: ['planning', 'executing', 'reviewing'],
  complete: [],
}

export const taskStates = ['pending', 'in_progress', 'complete', 'blocked'] as const
export type TaskState = (typeof taskStates)[number]

export type Task = {
  readonly id: number
  readonly text: string
  readonly state: TaskState
  /** A shell command: the task is done when it passes. */
  readonly check?: string
  readonly createdAt: number
  readonly startedAt?: number
  readonly endedAt?: number
  /** What became of it, or what it waits for. */
  readonly outcome?: string
  /** What comes next, told by the packet whose budget ended. */
  readonly next?: string
  /** How many packets were given to it. */
  readonly packets: number
  /** The session of a packet that was started and whose end is unknown. */
  readonly openSession?: string
}

type Note = { readonly at: number; readonly text: string }

export type Plan = {
  readonly goal?: string
  readonly phase: Phase
  /** Where `resume` goes back to. */
  readonly pausedFrom?: Phase
  readonly tasks: readonly Task[]
  readonly notes: readonly Note[]
  readonly nextId: number
}

export const emptyPlan: Plan = { phase: 'planning', tasks: [], notes: [], nextId: 1 }
