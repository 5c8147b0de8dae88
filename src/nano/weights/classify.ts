/** A classification out of four labels, each read from the logits behind its field's token. Pure. */
import { type Classification, taskTypes } from '../../protocol/classification.ts'
import { categories } from '../../protocol/tool.ts'
import type { Opinion } from '../opinion/action.ts'
import { fieldToken, labelToken } from './format.ts'
import type { LabelField } from '../../embedded/score.ts'

const COMPLEXITIES = ['low', 'mid', 'high'] as const
const NEEDS = ['yes', 'no'] as const
const CATEGORIES = [...categories, 'answer'] as const

/** In the order in which the prompt asks for them. */
export const classificationFields: readonly LabelField[] = [
  toField('task', taskTypes),
  toField('complexity', COMPLEXITIES),
  toField('needs', NEEDS),
  toField('category', CATEGORIES),
]

function toField(field: string, labels: readonly string[]): LabelField {
  return { after: fieldToken(field), labels: labels.map((label) => labelToken(field, label)) }
}

/** `scores` holds, for each field, how likely each of its labels is; `opinion` which action the request begins with. */
export function toClassification(scores: readonly (readonly number[])[], opinion?: Opinion): Classification {
  const [task = [], complexity = [], needs = [], category = []] = scores
  const [, middle = 0, high = 0] = complexity
  return {
    type: likeliest(taskTypes, task),
    complexity: rounded(middle / 2 + high),
    needsTools: likeliest(NEEDS, needs) === 'yes',
    category: likeliest(CATEGORIES, opinion ? weighed(category, opinion) : category),
    sure: rounded(Math.max(0, ...task)),
    source: 'slm',
  }
}

/** Both are witnesses of the same; what one finds unlikely the other may outweigh. */
const weighed = (category: readonly number[], opinion: Opinion): number[] =>
  CATEGORIES.map((name, at) => {
    const share = [...opinion].reduce(
      (sum, [action, part]) => sum + (categoryOf(action) === name ? part : 0),
      0,
    )
    return ((category[at] ?? 0) + FLOOR) * (share + FLOOR)
  })

const FLOOR = 0.02

const LOOKS: Readonly<Record<string, string>> = {
  read: 'read',
  list: 'read',
  search: 'search',
  find: 'search',
  run: 'run',
  no: 'answer',
}

const categoryOf = (action: string): string => LOOKS[action] ?? 'write'

const rounded = (value: number): number => Math.round(value * 100) / 100

function likeliest<Label>(labels: readonly [Label, ...Label[]], scores: readonly number[]): Label {
  return labels[scores.indexOf(Math.max(...scores))] ?? labels[0]
}
