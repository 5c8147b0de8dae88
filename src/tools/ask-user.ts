import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { defineTool } from '../protocol/tool.ts'

export const askUserTool = defineTool({
  name: 'ask_user',
  description: 'Ask the user',
  category: 'meta',
  input: z.object({ question: z.string(), options: z.array(z.string()).optional() }),
  timeoutMs: Infinity,

  async run({ question, options }, { ask, signal }) {
    if (question.trim() === '') {
      throw new AppError('tool-failed', 'question is empty.', { failure: 'bad-arguments' })
    }
    return ask({ question, ...(options && options.length > 0 && { options }) }, signal)
  },
})
