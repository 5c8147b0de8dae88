/** A classification out of four labels, each read from the logits behind its field's token. Pure. */
import { type Classification, taskTypes } from '../../protocol/classification.ts'
import { categories } from '../../protocol/tool.ts'
import { fieldToken, labelToken } from './format.ts'
import type { LabelField } from '../score.ts'

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

/** `scores` holds, for each field, how likely each of its labels is. */
export function toClassification(scores: readonly (readonly number[])[]): Classification {
  const [task = [], complexity = [], needs = [], category = []] = scores
  const [, middle = 0, high = 0] = complexity
  return {
    type: likeliest(taskTypes, task),
    complexity: rounded(middle / 2 + high),
    needsTools: likeliest(NEEDS, needs) === 'yes',
    category: likeliest(CATEGORIES, category),
    sure: rounded(Math.max(0, ...task)),
    source: 'slm',
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100

function likeliest<Label>(labels: readonly [Label, ...Label[]], scores: readonly number[]): Label {
  return labels[scores.indexOf(Math.max(...scores))] ?? labels[0]
}
