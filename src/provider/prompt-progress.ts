/** How far llama.cpp has read the prompt, as it says in a stream that asked for it with `return_progress`. */
import { isObject } from '../lib/json.ts'
import type { Progress } from '../protocol/model.ts'

/** `total` and `processed` count what came from the cache; `time_ms` is left out, the wait is measured here. */
export function readPromptProgress(value: unknown): readonly Progress[] {
  if (!isObject(value)) return []
  const { total, cache, processed } = value
  if (!isCount(total) || !isCount(processed) || processed > total) return []
  const cached = isCount(cache) && cache > 0 && cache <= total ? { cached: cache } : {}
  return [{ type: 'progress', stage: 'reading', total, done: processed, ...cached }]
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
