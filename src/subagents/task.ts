/** What a subagent is asked, as models write it: a list of prompts, of objects, or of both. */
import { posix } from 'node:path'
import { z } from 'zod'
import { isObject } from '../lib/json.ts'
import { toPosix } from '../lib/path.ts'

/** Models write an empty list where they mean none. */
const names = z
  .union([z.array(z.string()), z.string().transform((name) => [name])])
  .transform((list) => list.map((name) => name.trim()).filter((name) => name !== ''))
  .transform((list) => (list.length === 0 ? undefined : list))

const taskSchema = z.object({
  prompt: z.string().trim().min(1),
  /** Only paths under these. */
  paths: names.optional(),
  /** Only these tools. */
  tools: names.optional(),
  /** The id of an arm; absent = the router's choice. */
  arm: z
    .string()
    .transform((arm) => arm.trim() || undefined)
    .optional(),
})

export type Task = z.output<typeof taskSchema>

const toTask = (given: unknown): unknown => {
  if (typeof given === 'string') return { prompt: given }
  if (!isObject(given) || 'prompt' in given) return given
  return { ...given, prompt: given['task'] ?? given['description'] }
}

/** One field to the model: a full schema of what few calls use would cost every request. */
export const tasksSchema = z
  .array(z.unknown().transform(toTask).pipe(taskSchema))
  .min(1)
  .max(10)
  .describe('Prompts, or {prompt, paths, tools, arm}')

/** As the guard writes paths: from the root, without a slash at the end. The whole project is no limit. */
export function pathsWithin(
  root: string,
  paths: readonly string[] | undefined,
): readonly string[] | undefined {
  const plain = paths?.map((path) => {
    const folder = path.replaceAll('\\', '/').replace(/\/\*\*(?:\/\*)?$/, '')
    const written = posix.isAbsolute(folder) ? posix.relative(toPosix(root), folder) : folder
    return posix.normalize(written).replace(/(?<=.)\/$/, '')
  })
  return plain?.includes('.') ? undefined : plain
}
