/** The model's hand on the plan: one tool, one word for what to do, one text for what it is about. */
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { defineTool, type Tool } from '../protocol/tool.ts'
import type { PlanChange } from './change.ts'
import { describe, summarise } from './describe.ts'
import type { PlanStore } from './store.ts'

export const createPlanTool = (store: PlanStore): Tool =>
  defineTool({
    name: 'plan',
    // The actions are listed here and not in the schema: as an enum they cost three times as many tokens.
    description: 'Project plan: show add begin done block note review finish pause resume',
    category: 'meta',
    input: z.object({ action: z.string(), text: z.string().optional() }),
    access: ({ action }) => (isShow(action) ? [] : [{ kind: 'store', target: 'the plan' }]),

    async run({ action, text }) {
      const change = toChange(action.trim().toLowerCase(), text ?? '')
      if (!change) return describe(await store.read())
      return summarise(await store.change(change)) ?? 'Noted.'
    },
  })

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

/** One task per line; bullets and numbers in front are habit, not content. */
const toTasks = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])?\s*(?:\[[ x]\]\s*)?/i, '').trim())
    .filter((line) => line !== '')

/** `3`, `3: it works now`, words of the task, or nothing for the one at hand. */
function toTask(text: string): { readonly task?: string; readonly outcome?: string } {
  const words = text.trim()
  if (words === '') return {}
  const numbered = /^(?:task\s*)?#?(\d+)(?:\s*[:.,-]+\s*|\s+|$)([\s\S]*)$/i.exec(words)
  if (!numbered) return { task: words }
  const [, task = '', outcome = ''] = numbered
  return { task, ...(outcome !== '' && { outcome }) }
}
