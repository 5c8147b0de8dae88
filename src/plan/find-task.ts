/** Which task is meant: by its number, by words of it, or, where nothing is said, the first in the state at hand. */
import type { Task, TaskState } from './plan.ts'

export function findTask(
  tasks: readonly Task[],
  wanted: string | undefined,
  atHand: TaskState,
): Task | undefined {
  const words = wanted?.trim().toLowerCase() ?? ''
  if (words === '') return tasks.find(({ state }) => state === atHand)
  const number = /^(?:task\s*)?#?(\d+)\.?$/.exec(words)?.[1]
  if (number !== undefined) return tasks.find(({ id }) => id === Number(number))
  const exact = tasks.filter(({ text }) => text.toLowerCase() === words)
  const found = exact.length > 0 ? exact : tasks.filter(({ text }) => text.toLowerCase().includes(words))
  return found.length === 1 ? found[0] : undefined
}
