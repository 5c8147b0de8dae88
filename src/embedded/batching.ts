/**
 * Which sequences are evaluated together. The library reads all outputs of a batch on several threads at once; where
 * llama.cpp has put them in another order than they came, the first reader puts them back while the others already read,
 * and a conversation gets a token that was meant for another. So only batches whose outputs stay in order are made: the
 * single tokens of several sequences in ascending order, or one sequence alone.
 */
import type { BatchItem, EvaluationPriority, PrioritizedBatchItem } from 'node-llama-cpp'

/** Nothing else of what the library shows of an item can tell whose it is; its own priorities end at 5. */
const FIRST = 1_000

export const priorityOf = (sequence: number): EvaluationPriority => (FIRST + sequence) as EvaluationPriority

/** Items that have waited longest go first. What comes without a number could be anyone's, and goes alone. */
export function chooseBatch({
  items,
  size,
}: {
  readonly items: readonly BatchItem[]
  readonly size: number
}): PrioritizedBatchItem[] {
  const [oldest] = items
  if (!oldest) return []
  if (!isNumberedToken(oldest)) return [{ item: oldest, processAmount: Math.min(oldest.tokens.length, size) }]
  return items
    .filter(isNumberedToken)
    .toSorted((a, b) => a.evaluationPriority - b.evaluationPriority)
    .slice(0, size)
    .map((item) => ({ item, processAmount: 1 }))
}

const isNumberedToken = ({ tokens, evaluationPriority }: BatchItem): boolean =>
  tokens.length === 1 && evaluationPriority >= FIRST
