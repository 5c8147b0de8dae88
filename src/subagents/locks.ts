/**
 * One writer per file. An edit reads, changes and writes; two agents at once would each undo what the other did. A
 * call that needs several files takes them in one order, so that there is no deadlock.
 */
import { posix } from 'node:path'
import type { Tool } from '../protocol/tool.ts'

export type Locks = <Result>(paths: readonly string[], work: () => Promise<Result>) => Promise<Result>

export function createLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>()
  const holdOne = async <Result>(path: string, work: () => Promise<Result>): Promise<Result> => {
    const before = tails.get(path)
    const mine = (before ?? Promise.resolve()).then(work)
    const tail = mine.then(
      () => {},
      () => {},
    )
    tails.set(path, tail)
    try {
      return await mine
    } finally {
      if (tails.get(path) === tail) tails.delete(path)
    }
  }
  return <Result>(paths: readonly string[], work: () => Promise<Result>): Promise<Result> => {
    const inOrder = [...new Set(paths.map((path) => posix.normalize(path)))].toSorted()
    const holding = inOrder.reduceRight<() => Promise<Result>>(
      (inner, path) => () => holdOne(path, inner),
      work,
    )
    return holding()
  }
}

/**
 * The same tool; a call waits while another one writes a file that it would write, and is let go if it was given up.
 */
export const serialised = (tool: Tool, locks: Locks): Tool => ({
  ...tool,
  run(input, context) {
    const targets = tool.access(input).flatMap(({ kind, target }) => (kind === 'write' ? [target] : []))
    if (targets.length === 0) return tool.run(input, context)
    return locks(targets, async () => {
      // The caller already got a failure: the call must not run after all.
      context.signal.throwIfAborted()
      return tool.run(input, context)
    })
  },
})
