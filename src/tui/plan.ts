/** `/plan`: shows and changes the plan; `/plan run` lends the terminal to `covey plan run`, which works at it. */
import type { Talk } from './talk.ts'
import { fit, oneLine } from './text.ts'
import { bold } from './theme.ts'
import type { CommandUi } from './ui.ts'

export async function actOnPlan(ui: CommandUi, argument: string, { ask, isIncognito }: Talk): Promise<void> {
  const [, action = '', text = ''] = /^(\S*)\s*([\s\S]*)$/.exec(argument) ?? []
  if (action === 'run') {
    if (isIncognito) return ui.face.say(KEPT)
    return ui.runOwn(['plan', 'run', ...text.split(/\s+/).filter(Boolean)])
  }
  const { face } = ui
  face.print(['', bold(fit(oneLine(`/plan ${argument}`), face.width))])
  // As it was typed, lines and all: a check may hold several spaces.
  const words = text.replace(/^(["'])([\s\S]*)\1$/, '$2')
  face.say((await ask?.(['plan', action, words].filter(Boolean))) ?? '')
}

const KEPT = 'A plan is worked at in sessions that are kept. Leave Covey, then start `covey plan run`.'
