/** What the classifier should say of a request by hand. Pure. */
import type { HandRow } from './nano-hands-run.ts'

/** Writers differ in the task type; what it is was written down after most hands had been made. */
export function definedTask({ kind, why = '', effect, task }: HandRow): string {
  if (kind === 'chain') return 'orchestration'
  if (kind === 'look') return task === 'debug' ? 'debug' : 'explain'
  if (kind === 'act')
    return effect[0]?.do === 'run' ? 'orchestration' : task === 'refactor' ? task : 'boilerplate'
  const asked = task === 'chat' ? 'explain' : task
  return TASK_OF_REFUSED[why] ?? asked
}

const TASK_OF_REFUSED: Readonly<Record<string, string>> = {
  knowledge: 'explain',
  about: 'explain',
  conditional: 'planning',
  postponed: 'planning',
  vague: 'boilerplate',
  impossible: 'orchestration',
  quoted: 'explain',
  negated: 'explain',
  hypothetical: 'explain',
  chat: 'explain',
}

/** Work for a larger model has the category of its main effect, too: that is what its tools are chosen by. */
export const categoriesOf = ({ why, task, category }: HandRow): string[] =>
  why === 'judgement' ? [category, EFFECT[task] ?? category] : [category]

const EFFECT: Readonly<Record<string, string>> = {
  refactor: 'write',
  generation: 'write',
  boilerplate: 'write',
  unit_test: 'write',
  review: 'read',
  security_review: 'read',
  debug: 'read',
  explain: 'read',
  chat: 'read',
  planning: 'meta',
  orchestration: 'run',
}
