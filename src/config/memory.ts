/** What is remembered between sessions, and the index of the code, as they are configured. */
import { z } from 'zod'

export const memorySchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Remember facts between sessions, and recall them in front of what you ask.'),
    keep: z
      .int()
      .min(100)
      .default(100_000)
      .describe('Facts kept, of all projects together; beyond that the least used are forgotten.'),
    code_index: z.boolean().default(true).describe('Index the code of a project for `search_code`.'),
    repo_map: z
      .boolean()
      .default(true)
      .describe('Show models with more than 16k tokens of window what is where in the project.'),
  })
  .prefault({})
  .describe('What outlives a session: facts, lessons, and an index of the code.')
