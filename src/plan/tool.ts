/** The model's hand on the plan: one tool, one word for what to do, one text for what it is about. */
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { defineTool, type Tool } from '../protocol/tool.ts'
import type { NewTask, PlanChange } from './change.ts'
import type { PassedCommands } from './checked.ts'
import { describe, summarise } from './describe.ts'
import { findTask } from './find-task.ts'
import type { Plan } from './plan.ts'
import type { PlanStore } from './store.ts'

export const createPlanTool = (store: PlanStore, passed: Pick<PassedCommands, 'has'>): Tool =>
  defineTool({
    name: 'plan',
    // The actions are listed here and not in the schema: as an enum they cost three times as many tokens.
    description: 'Project plan: show add check begin done block note review finish pause resume',
    category: 'meta',
    input: z.object({ action: z.string(), text: z.string().optional() }),
    access: ({ action }) => (isShow(action) ? [] : [{ kind: 'store', target: 'the plan' }]),

    async run({ action, text }) {
      const change = toChange(action.trim().toLowerCase(), text ?? '')
      if (!change) return describe(await store.read())
      if (change.type === 'done') requirePassed(await store.read(), change.task, passed)
      return summarise(await store.change(change)) ?? 'Noted.'
    },
  })

/** A person may say that a task is done; a model may where its check agrees. */
function requirePassed(
  { tasks }: Plan,
  wanted: string | undefined,
  passed: Pick<PassedCommands, 'has'>,
): void {
  const task = findTask(tasks, wanted, 'in_progress')
  if (task?.check === undefined || passed.has(task.check)) return
  const message = `Task ${task.id} has a check, which has not passed since the last change. Run it with run_command: ${task.check}\nWhen it passes, call done again.`
  throw new AppError('tool-failed', message, { failure: 'bad-arguments' })
}

const isShow = (action: string): boolean => action.trim().toLowerCase() === 'show'

/** Nothing for `show`. Shared with the command line, so that a person and a model say the same words. */
export function toChange(action: string, text: string): PlanChange | undefined {
  const found = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (found) return found(text)
  if (action === 'show') return undefined
  const known = ['show', ...Object.keys(actions)].join(', ')
  throw new AppError('tool-failed', `There is no action "${action}"; there are ${known}.`, {
    failure: 'bad-arguments',
  })
}

const actions: Readonly<Record<string, (text: string) => PlanChange>> = {
  goal: (text) => ({ type: 'goal', text }),
  add: (text) => ({ type: 'add', texts: toTasks(text) }),
  check: (text) => ({ type: 'check', ...toCheck(text) }),
  begin: (text) => ({ type: 'begin', ...toTask(text) }),
  done: (text) => ({ type: 'done', ...toTask(text) }),
  block: (text) => ({ type: 'block', ...toTask(text) }),
  reopen: (text) => ({ type: 'reopen', ...toTask(text) }),
  note: (text) => ({ type: 'note', text }),
  start: () => ({ type: 'move', to: 'executing' }),
  review: () => ({ type: 'move', to: 'reviewing' }),
  finish: () => ({ type: 'move', to: 'complete' }),
  pause: () => ({ type: 'move', to: 'paused' }),
  resume: () => ({ type: 'resume' }),
}

/** One task per line, and below it, where it has one, its check: `check: npm test`. */
function toTasks(text: string): (string | NewTask)[] {
  const tasks: (string | NewTask)[] = []
  for (const line of text.split('\n').map(withoutBullet)) {
    const check = /^check:\s*(.*)$/i.exec(line)?.[1]
    const last = tasks.at(-1)
    if (check !== undefined && last !== undefined)
      tasks[tasks.length - 1] = { text: typeof last === 'string' ? last : last.text, check: unquoted(check) }
    else if (line !== '') tasks.push(line)
  }
  return tasks
}

/** Bullets, boxes and numbers in front are habit, not content. */
const withoutBullet = (line: string): string =>
  line.replace(/^\s*(?:[-*•]\s*)?(?:\[[ x]\]\s*)?(?:\d+[.)]\s+)?(?:\[[ x]\]\s*)?/i, '').trim()

/** As people and models write a command in Markdown. */
const unquoted = (command: string): string => /^(`+)([^`]+)\1$/.exec(command.trim())?.[2]?.trim() ?? command

/** `3: npm test`, `3 npm test`; `3 -` takes the check away. */
function toCheck(text: string): { readonly task?: string; readonly command?: string } {
  const [, task, command] = /^\s*(?:task\s*)?#?(\d+)\s*:?\s+([\s\S]*\S)\s*$/i.exec(text) ?? []
  if (task === undefined || command === undefined)
    throw new AppError(
      'tool-failed',
      'Name the task and its check: `check 3 npm test`; `check 3 -` removes it.',
      {
        failure: 'bad-arguments',
      },
    )
  return command === '-' ? { task } : { task, command: unquoted(command) }
}

/** `3`, `3: it works now`, words of the task, or nothing for the one at hand. */
function toTask(text: string): { readonly task?: string; readonly outcome?: string } {
  const words = text.trim()
  if (words === '') return {}
  const numbered = /^(?:task\s*)?#?(\d+)(?:\s*[:.,-]+\s*|\s+|$)([\s\S]*)$/i.exec(words)
  if (!numbered) return { task: words }
  const [, task = '', outcome = ''] = numbered
  return { task, ...(outcome !== '' && { outcome }) }
}
