/**
 * Which sequences are evaluated together. The library reads all outputs of a batch on several threads at once; where
 * llama.cpp has put them in another order than they came, the first reader puts them back while the others already
 * read, and a conversation gets a token that was meant for another. So only batches whose outputs stay in order are
 * made: the single tokens of several sequences in ascending order, or one sequence alone.
 */
import type { BatchItem, EvaluationPriority, PrioritizedBatchItem } from 'node-llama-cpp'

export type Batching = {
  choose(waiting: Waiting): PrioritizedBatchItem[]
  /** A sequence has begun to write: until `end` its next token is worth a moment's wait. */
  begin(): void
  end(): void
}

/** What the library has to evaluate, the longest waiting first, and how many tokens fit into a batch. */
type Waiting = { readonly items: readonly BatchItem[]; readonly size: number }

/** How often in a row the library gets "nothing yet": a few dozen microseconds. */
const MOST_WAITS = 32

export function createBatching(): Batching {
  let writing = 0
  let waits = 0
  return {
    choose(waiting) {
      const batch = chooseBatch(waiting)
      // Sequences that are once out of step would stay so, and each be evaluated alone for ever.
      const isPart = batch.every(({ item }) => isNumberedToken(item)) && batch.length < writing
      waits = isPart && waits < MOST_WAITS ? waits + 1 : 0
      return waits > 0 ? [] : batch
    },
    begin: () => void writing++,
    end: () => void writing--,
  }
}

/** Nothing else of what the library shows of an item can tell whose it is; its own priorities end at 5. */
const FIRST = 1_000

export const priorityOf = (sequence: number): EvaluationPriority => (FIRST + sequence) as EvaluationPriority

/** What comes without a number could be anyone's, and goes alone. */
export function chooseBatch({ items, size }: Waiting): PrioritizedBatchItem[] {
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
