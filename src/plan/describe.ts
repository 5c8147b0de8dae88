/** The plan in words: short for the model, whole for a person, markdown for a file. */
import { clip, plural } from '../lib/text.ts'
import type { Plan, Task, TaskState } from './plan.ts'

/** About 250 tokens. */
const SUMMARY_LENGTH = 900
const SUMMARY_NOTES = 10

const SIGNS: Readonly<Record<TaskState, string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  complete: '[x]',
  blocked: '[!]',
}

/** The plan as shown to the model at the start of a run; undefined without a plan. */
export function summarise(plan: Plan): string | undefined {
  if (plan.tasks.length === 0 && plan.goal === undefined) return undefined
  const head = headLine(plan)
  const open = plan.tasks.filter(({ state }) => state !== 'complete').toSorted(byUrgency)
  const tasks = withinLength(
    open.map((task) => taskLine(task, 100)),
    SUMMARY_LENGTH - head.length - 200,
  )
  const notes = plan.notes.slice(-SUMMARY_NOTES).toReversed()
  const room = SUMMARY_LENGTH - [head, ...tasks.lines].join('\n').length - 40
  const told = withinLength(
    notes.map(({ text }) => `- ${clip(oneLine(text), 80)}`),
    room,
  )
  return [
    head,
    ...tasks.lines,
    ...(tasks.left > 0 ? [`… ${plural(tasks.left, 'more task')}`] : []),
    ...(told.lines.length > 0 ? ['Notes, newest first:', ...told.lines] : []),
  ].join('\n')
}

/** Everything, for a person or a model that asks. */
export function describe(plan: Plan): string {
  if (plan.tasks.length === 0 && plan.goal === undefined) return 'There is no plan yet. Add tasks to it.'
  const notes = plan.notes.slice(-SUMMARY_NOTES).map(({ at, text }) => `  ${timeOf(at)}  ${oneLine(text)}`)
  return [
    headLine(plan),
    ...plan.tasks.map((task) => taskLine(task, 500)),
    ...(notes.length > 0 ? ['Notes:', ...notes] : []),
  ].join('\n')
}

export function toMarkdown(plan: Plan): string {
  const tasks = plan.tasks.map((task) => {
    const state = task.state === 'complete' ? 'x' : ' '
    const more = task.outcome ?? task.next
    const line = `- [${state}] ${task.id}. ${oneLine(task.text)} (${task.state})${more ? `: ${oneLine(more)}` : ''}`
    return task.check === undefined ? line : `${line}\n  check: ${task.check}`
  })
  const notes = plan.notes.map(({ at, text }) => `- ${new Date(at).toISOString()} ${oneLine(text)}`)
  return [
    `# ${plan.goal ?? 'Plan'}`,
    '',
    `Phase: ${plan.phase}`,
    '',
    '## Tasks',
    '',
    ...tasks,
    '',
    '## Notebook',
    '',
    ...notes,
    '',
  ].join('\n')
}

function headLine({ goal, phase, tasks }: Plan): string {
  const done = tasks.filter(({ state }) => state === 'complete').length
  const about = goal === undefined ? '' : ` ${clip(oneLine(goal), 150)}.`
  return `Plan (${phase}, ${done} of ${plural(tasks.length, 'task')} done):${about}`
}

function taskLine({ id, text, state, check, outcome, next }: Task, length: number): string {
  const more = state === 'in_progress' ? next && `next: ${next}` : outcome
  return clip(
    oneLine(`${SIGNS[state]} ${id}. ${text}${check ? ` [check: ${check}]` : ''}${more ? ` (${more})` : ''}`),
    length,
  )
}

const URGENCY: readonly TaskState[] = ['in_progress', 'pending', 'blocked', 'complete']
const byUrgency = (a: Task, b: Task): number => URGENCY.indexOf(a.state) - URGENCY.indexOf(b.state)

function withinLength(
  lines: readonly string[],
  length: number,
): { readonly lines: readonly string[]; readonly left: number } {
  let used = 0
  const fitting = lines.findIndex((line) => (used += line.length + 1) > length)
  const count = fitting === -1 ? lines.length : fitting
  return { lines: lines.slice(0, count), left: lines.length - count }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const timeOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
