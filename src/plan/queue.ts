/**
 * Long work in small windows, the deciding half. A task is worked on in packets: bounded runs, each in a session of its
 * own, each ending in an answer or in a checkpoint that says what comes next. What to do follows from the plan alone.
 */
import { runEndFacts, type RunEndReason } from '../protocol/run-end-reasons.ts'
import { clip, plural } from '../lib/text.ts'
import { blockedIn, nextIn } from '../lib/open-end.ts'
import type { CheckEnd } from '../protocol/event.ts'
import type { PlanChange } from './change.ts'
import type { Plan, Task } from './plan.ts'

export type PacketLimits = {
  readonly maxTurns: number
  readonly maxCalls: number
}

export type QueueLimits = PacketLimits & {
  /** A task that has not ended after so many is blocked. */
  readonly maxPackets: number
}

/** How a packet ended. */
export type PacketEnd = {
  readonly reason: RunEndReason
  /** The answer, or at the end of the budget what comes next. */
  readonly text: string
  readonly changed: readonly string[]
  /** What became of the task's check. */
  readonly check?: CheckEnd
}

export type QueueStep =
  | { readonly kind: 'packet'; readonly task: number; readonly changes: readonly PlanChange[] }
  | {
      readonly kind: 'end'
      readonly why: 'finished' | 'blocked' | 'empty' | 'paused'
      readonly changes: readonly PlanChange[]
    }

/** What is in progress first, an interrupted packet before a new one. */
export function nextStep(plan: Plan, { maxPackets }: Pick<QueueLimits, 'maxPackets'>): QueueStep {
  if (plan.phase === 'paused') return { kind: 'end', why: 'paused', changes: [] }
  const task =
    plan.tasks.find(({ state }) => state === 'in_progress') ??
    plan.tasks.find(({ state }) => state === 'pending')
  if (!task) return endStep(plan)
  const name = `${task.id}`
  if (plan.phase === 'reviewing' || plan.phase === 'planning') {
    return withFirst(nextStep({ ...plan, phase: 'executing' }, { maxPackets }), {
      type: 'move',
      to: 'executing',
    })
  }
  if (task.state === 'in_progress' && task.openSession !== undefined) {
    return { kind: 'packet', task: task.id, changes: [] }
  }
  if (task.packets >= maxPackets) {
    const blocked: PlanChange = { type: 'block', task: name, outcome: `no end after ${task.packets} packets` }
    const tasks = plan.tasks.map((each) => (each === task ? { ...each, state: 'blocked' as const } : each))
    return withFirst(nextStep({ ...plan, tasks }, { maxPackets }), blocked)
  }
  const changes: readonly PlanChange[] = task.state === 'pending' ? [{ type: 'begin', task: name }] : []
  return { kind: 'packet', task: task.id, changes }
}

const withFirst = (step: QueueStep, change: PlanChange): QueueStep => ({
  ...step,
  changes: [change, ...step.changes],
})

function endStep({ tasks, phase }: Plan): QueueStep {
  if (tasks.length === 0) return { kind: 'end', why: 'empty', changes: [] }
  if (tasks.some(({ state }) => state === 'blocked')) return { kind: 'end', why: 'blocked', changes: [] }
  const changes: readonly PlanChange[] = phase === 'executing' ? [{ type: 'move', to: 'reviewing' }] : []
  return { kind: 'end', why: 'finished', changes }
}

type Judged = Pick<Task, 'id' | 'text' | 'packets' | 'check' | 'next'>

/** So often a task is gone on with that was answered without doing what it names, or that got stuck. */
const MAX_EMPTY = 2

/**
 * An answer ends the task, unless it says itself that there is more to do or that it cannot be done, or the task has a check
 * that did not pass, or it names a file and none of those it names was changed.
 */
export function judgePacket(judged: Judged, end: PacketEnd): PlanChange {
  const { id, text: wanted, packets } = judged
  const { reason, text, changed } = end
  const task = `${id}`
  const blocked = blockedIn(text)
  if (blocked) return { type: 'block', task, outcome: blocked }
  if (reason === 'check-failed') return judgeCheck(judged, end)
  const next = nextIn(text)
  const files = changed.length > 0 ? ` (changed: ${clip(changed.join(', '), 200)})` : ''
  if (reason === 'answered' && !next) {
    if (judged.check !== undefined) return judgeCheck(judged, end)
    const missing = untouched(wanted, changed)
    if (missing === undefined) return { type: 'done', task, outcome: clip(text.trim(), 300) }
    const said = `answered, but ${missing} was not changed: ${clip(text.trim(), 200)}`
    return packets < MAX_EMPTY
      ? { type: 'checkpoint', task, next: `${said}. Change it, or say BLOCKED.${files}` }
      : { type: 'block', task, outcome: `${said}. If that is right: covey plan done ${id}` }
  }
  const said = next ?? (text.trim() || 'go on; look first at what is there')
  const checkpoint = `${clip(said, 600)}${files}`
  return isStuck(judged, end, checkpoint)
    ? { type: 'block', task, outcome: `no progress: ${clip(said, 400)}` }
    : { type: 'checkpoint', task, next: checkpoint }
}

/** Nothing was changed, and it says what it said before, or got stuck for the third time: more packets would be the same. */
const isStuck = ({ next, packets }: Judged, { reason, changed }: PacketEnd, checkpoint: string): boolean =>
  changed.length === 0 &&
  ((packets > 0 && checkpoint === next) || (runEndFacts(reason).kind === 'stuck' && packets >= MAX_EMPTY))

/** The exit code decides, and a check that was not run decides nothing: a person must. */
function judgeCheck({ id, check: wanted = '', packets }: Judged, { text, check }: PacketEnd): PlanChange {
  const task = `${id}`
  const name = `check \`${clip(check?.command ?? wanted, 100)}\``
  if (check?.state === 'passed')
    return { type: 'done', task, outcome: `${clip(text.trim(), 300)} (${name} passed)` }
  if (check?.state === 'failed')
    return { type: 'block', task, outcome: `the ${name} failed: ${clip(lastLines(check.text), 500)}` }
  if (check === undefined && packets < MAX_EMPTY)
    return {
      type: 'checkpoint',
      task,
      next: `answered, but the ${name} was not run. Look whether it is done.`,
    }
  const why = check ? `: ${clip(check.text, 400)}` : ''
  return { type: 'block', task, outcome: `the ${name} was not run${why}` }
}

/** A test run says at its end what failed. */
const lastLines = (text: string): string => text.trim().split('\n').slice(-6).join(' | ')

const FILE_NAME = /(?<![\w@:/])(?:[\w-]+\/)*[\w.-]*[\w-]\.[a-z]{1,5}\b(?!\()/gi

/** The file that a task names, where none of those it names was changed. Tasks that only look name files, too. */
function untouched(wanted: string, changed: readonly string[]): string | undefined {
  if (LOOKS.test(wanted)) return undefined
  const named = [...wanted.matchAll(FILE_NAME)]
    .map(([path]) => path)
    .filter((path) => !/^(?:e\.g|i\.e)$/i.test(path))
  const isChanged = named.some((path) => changed.some((each) => each === path || each.endsWith(`/${path}`)))
  return isChanged ? undefined : named[0]
}

const LOOKS =
  /^\s*(?:read|look|check|find|list|show|explain|describe|review|summari[sz]e|test|run|verify|say|tell|count|search)\b/i

export function packetPrompt(plan: Plan, task: Task, { maxTurns }: Pick<PacketLimits, 'maxTurns'>): string {
  const before = plan.tasks
    .filter(({ id, state, outcome }) => id < task.id && state === 'complete' && outcome)
    .slice(-3)
    .map(({ id, outcome }) => `- task ${id}: ${clip(outcome ?? '', 120)}`)
  return [
    ...(plan.goal === undefined ? [] : [`Goal: ${clip(plan.goal, 200)}`]),
    ...(before.length > 0 ? ['Done before:', ...before] : []),
    `Task ${task.id}: ${task.text}`,
    ...(task.next === undefined ? [] : [`So far, and what is next: ${task.next}`]),
    ...(task.check === undefined ? [] : [`It is done when this command passes: ${task.check}`]),
    '',
    `Do only this task, in at most ${plural(maxTurns, 'turn')}. When it is done, answer in one line with what you did.`,
    'If there is more to do than fits, end with a line `NEXT: what comes next`. If it cannot be done: `BLOCKED: why`.',
  ].join('\n')
}

export const goOnPrompt = ({ id, text }: Task): string =>
  `You were interrupted. Everything above was done, except that a call marked interrupted may or may not have happened: look before you do it again. Go on with task ${id}: ${clip(text, 300)}`
