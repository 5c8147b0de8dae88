/** Call records as the loop writes them, for tests of detectors. */
import { type CallRecord, hashResult, type Trace } from '../../src/engine/trace.ts'

export type Sketch = Partial<Omit<CallRecord, 'resultHash'>> & Pick<CallRecord, 'name'>

/** One call per turn unless a sketch says otherwise. */
export function traceOf(sketches: readonly Sketch[], more: Partial<Trace> = {}): Trace {
  const calls = sketches.map((sketch, index): CallRecord => {
    const text = sketch.text ?? 'ok'
    const filled = {
      turn: index + 1,
      key: `${sketch.name} ${sketch.path ?? ''}`,
      ok: sketch.code === undefined,
      wrote: false,
      polling: false,
      ...sketch,
    }
    return { ...filled, text, resultHash: hashResult(text, filled.polling) }
  })
  return { turns: calls.at(-1)?.turn ?? 0, calls, ...more }
}
