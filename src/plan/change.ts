/**
 * `changePlan` is the only way from one state of a plan to the next; a move the table does not know is refused and
 * changes nothing. Pure: time comes in, a plan comes out. Every move leaves a line in the notebook.
 */
import { AppError } from '../protocol/error.ts'
import { clip, plural } from '../lib/text.ts'
import { findTask } from './find-task.ts'
import { moves, type Phase, type Plan, type Task, type TaskState } from './plan.ts'

export type NewTask = { readonly text: string; readonly check: string }

export type PlanChange =
  | { readonly type: 'goal'; readonly text: string }
  | { readonly type: 'add'; readonly texts: readonly (string | NewTask)[] }
  /** When it is done: this command passes. Without one it no longer has a check. */
  | { readonly type: 'check'; readonly task?: string; readonly command?: string }
  | { readonly type: 'move'; readonly to: Phase }
  | { readonly type: 'resume' }
  | { readonly type: 'note'; readonly text: string }
  /** `task`: its number or words of it; absent = the one that is meant without saying. */
  | {
      readonly type: 'begin' | 'done' | 'block' | 'reopen'
      readonly task?: string
      readonly outcome?: string
      /** It gets as many packets again; only a person may say so, or a queue might never end. */
      readonly isRenewed?: boolean
    }
  /** A packet begins, in this session. */
  | { readonly type: 'packet'; readonly task: string; readonly session: string }
  | { readonly type: 'checkpoint'; readonly task: string; readonly next: string }

const MAX_TASKS = 500
const MAX_NOTES = 1_000
const MAX_TEXT = 1_000

/** The plan after `change`, or an AppError that says what is possible instead; `plan` itself never changes. */
export function changePlan(plan: Plan, change: PlanChange, now: number): Plan {
  switch (change.type) {
    case 'goal':
      return noted({ ...openPlan(plan), goal: requireText(change.text) }, now, 'goal set')
    case 'add':
      return addTasks(openPlan(plan), change.texts, now)
    case 'check':
      return setCheck(openPlan(plan), change, now)
    case 'note':
      return noted(plan, now, requireText(change.text))
    case 'move':
      return move(plan, change.to, now)
    case 'resume':
      return resume(plan, now)
    case 'begin':
    case 'done':
    case 'block':
    case 'reopen':
      return moveTask(plan, change, now)
    case 'packet':
    case 'checkpoint':
      return movePacket(plan, change, now)
  }
}

function openPlan(plan: Plan): Plan {
  if (plan.phase !== 'complete') return plan
  throw refused('The plan is complete; `covey plan reset` starts a new one.')
}

const refused = (message: string): AppError =>
  new AppError('tool-failed', message, { failure: 'bad-arguments' })

function requireText(text: string): string {
  const line = text.trim()
  if (line === '') throw refused('`text` is empty; say it in a few words.')
  return clip(line, MAX_TEXT)
}

function noted(plan: Plan, now: number, text: string): Plan {
  return { ...plan, notes: [...plan.notes, { at: now, text: clip(text, MAX_TEXT) }].slice(-MAX_NOTES) }
}

function addTasks(plan: Plan, texts: readonly (string | NewTask)[], now: number): Plan {
  const added = texts.map((words, index) => newTask(plan.nextId + index, words, now))
  if (added.length === 0) throw refused('`text` is empty; give one task per line.')
  if (plan.tasks.length + added.length > MAX_TASKS) throw refused(`A plan holds at most ${MAX_TASKS} tasks.`)
  const what = added.length === 1 ? `task ${plan.nextId} added` : `${plural(added.length, 'task')} added`
  const tasks = [...plan.tasks, ...added]
  return noted({ ...plan, tasks, nextId: plan.nextId + added.length }, now, what)
}

const newTask = (id: number, words: string | NewTask, now: number): Task => ({
  id,
  text: requireText(typeof words === 'string' ? words : words.text),
  state: 'pending',
  ...(typeof words !== 'string' && { check: requireCommand(words.check) }),
  createdAt: now,
  packets: 0,
})

/** Cut in two it would be another command, so one that is too long is refused. */
function requireCommand(command: string): string {
  const line = command.trim()
  if (line === '') throw refused('The check is empty; name a command, such as `npm test`.')
  if (line.includes('\n')) throw refused('A check is one line; put more into a script and name that.')
  if (line.length > MAX_TEXT)
    throw refused(`A check has at most ${MAX_TEXT} characters; put it into a script.`)
  return line
}

function setCheck(plan: Plan, change: Extract<PlanChange, { type: 'check' }>, now: number): Plan {
  const task = requireTask(plan, change.task, 'in_progress')
  const { check: _, ...rest } = task
  if (change.command === undefined)
    return noted(withTask(plan, rest), now, `task ${task.id} has no check any more`)
  const check = requireCommand(change.command)
  return noted(withTask(plan, { ...rest, check }), now, `task ${task.id} has the check ${check}`)
}

function move(plan: Plan, to: Phase, now: number): Plan {
  const { phase } = plan
  if (!moves[phase].includes(to)) {
    const possible = moves[phase].join(', ') || 'nothing; it is final'
    throw refused(`The plan is ${phase}, so it cannot become ${to}. From ${phase} it goes to: ${possible}.`)
  }
  if (to === 'complete') requireNothingOpen(plan)
  const { pausedFrom: _, ...rest } = plan
  const moved: Plan = { ...rest, phase: to, ...(to === 'paused' && { pausedFrom: phase }) }
  return noted(moved, now, `${phase} -> ${to}`)
}

function requireNothingOpen({ tasks }: Plan): void {
  const open = tasks.filter(({ state }) => state === 'pending' || state === 'in_progress')
  if (open.length === 0) return
  const ids = open.map(({ id }) => id).join(', ')
  throw refused(
    `Not finished: ${open.length === 1 ? 'task' : 'tasks'} ${clip(ids, 60)}. End or block them first.`,
  )
}

function resume(plan: Plan, now: number): Plan {
  if (plan.phase !== 'paused')
    throw refused(`The plan is ${plan.phase}, not paused; there is nothing to resume.`)
  return move(plan, plan.pausedFrom ?? 'planning', now)
}

type TaskMove = Extract<PlanChange, { type: 'begin' | 'done' | 'block' | 'reopen' }>

type TaskRule = {
  readonly from: readonly TaskState[]
  readonly to: TaskState
  /** The state of the task that is meant where none is named. */
  readonly atHand: TaskState
  readonly word: string
}

const TASK_MOVES: Readonly<Record<TaskMove['type'], TaskRule>> = {
  begin: { from: ['pending', 'blocked'], to: 'in_progress', atHand: 'pending', word: 'begun' },
  done: { from: ['pending', 'in_progress', 'blocked'], to: 'complete', atHand: 'in_progress', word: 'done' },
  block: { from: ['pending', 'in_progress'], to: 'blocked', atHand: 'in_progress', word: 'blocked' },
  reopen: {
    from: ['complete', 'blocked', 'in_progress'],
    to: 'pending',
    atHand: 'blocked',
    word: 'reopened',
  },
}

function moveTask(plan: Plan, { type, task: wanted, outcome, isRenewed }: TaskMove, now: number): Plan {
  const { from, to, word, atHand } = TASK_MOVES[type]
  const working = requireExecuting(plan, type, now)
  const task = requireTask(working, wanted, atHand)
  if (!from.includes(task.state)) throw refused(`Task ${task.id} is ${task.state}; it cannot be ${word}.`)
  const { outcome: _, openSession: __, endedAt: ___, next, ...rest } = task
  const ended = to === 'complete' || to === 'blocked'
  const moved: Task = {
    ...rest,
    state: to,
    ...(isRenewed && { packets: 0 }),
    ...(to === 'in_progress' && { startedAt: now }),
    ...(ended && { endedAt: now }),
    ...(outcome?.trim() && { outcome: clip(outcome.trim(), MAX_TEXT) }),
    ...(next !== undefined && to !== 'complete' && { next }),
  }
  const why = outcome?.trim() ? `: ${outcome.trim()}` : ''
  return noted(withTask(working, moved), now, `task ${task.id} ${word}${why}`)
}

/** Working on a task says that planning is over; everything else must be said. */
function requireExecuting(plan: Plan, type: TaskMove['type'], now: number): Plan {
  if (plan.phase === 'executing' || type === 'reopen') return openPlan(plan)
  if (plan.phase === 'planning') return move(plan, 'executing', now)
  const advice = plan.phase === 'paused' ? 'resume it first' : 'start it again first'
  throw refused(`The plan is ${plan.phase}; ${plan.phase === 'complete' ? 'it is final' : advice}.`)
}

function requireTask({ tasks }: Plan, wanted: string | undefined, atHand: TaskState): Task {
  const found = findTask(tasks, wanted, atHand)
  if (found) return found
  const open = tasks
    .filter(({ state }) => state !== 'complete')
    .map(({ id, text }) => `${id} ${clip(text, 40)}`)
  const list = open.length > 0 ? `Open: ${clip(open.join('; '), 300)}.` : 'No task is open.'
  throw refused(
    wanted === undefined ? `Which task? ${list}` : `There is no task "${clip(wanted, 60)}". ${list}`,
  )
}

type PacketChange = Extract<PlanChange, { type: 'packet' | 'checkpoint' }>

function movePacket(plan: Plan, change: PacketChange, now: number): Plan {
  const task = requireTask(plan, change.task, 'in_progress')
  if (task.state !== 'in_progress')
    throw refused(`Task ${task.id} is ${task.state}; no packet of it can run.`)
  if (change.type === 'packet') {
    return withTask(plan, { ...task, openSession: change.session, packets: task.packets + 1 })
  }
  const { openSession: _, ...rest } = task
  const next = clip(change.next.trim(), MAX_TEXT)
  return noted(withTask(plan, { ...rest, next }), now, `task ${task.id}, next: ${next}`)
}

const withTask = (plan: Plan, changed: Task): Plan => ({
  ...plan,
  tasks: plan.tasks.map((task) => (task.id === changed.id ? changed : task)),
})
