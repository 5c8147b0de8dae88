/** What a subagent is asked, as models write it: a list of prompts, of objects, or of both. */
import { z } from 'zod'
import { isObject } from '../lib/json.ts'

const names = z.union([z.array(z.string()), z.string().transform((name) => [name])])

const taskSchema = z.object({
  prompt: z.string().trim().min(1),
  /** Only paths under these. */
  paths: names.optional(),
  /** Only these tools. */
  tools: names.optional(),
  /** The id of an arm; absent = the router's choice. */
  arm: z.string().optional(),
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
