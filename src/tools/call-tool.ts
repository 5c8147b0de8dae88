import { z } from 'zod'
import { CALL_TOOL } from '../lib/inner-call.ts'
import { AppError } from '../protocol/error.ts'
import { defineTool } from '../protocol/tool.ts'

/**
 * A way to write a call to a tool that was not offered. The engine puts the inner call in its place before anything runs,
 * so that the guard and the detectors see what is really meant; only a call without a tool in it gets here.
 *
 * Nothing is marked as required: the list would cost more tokens than it saves mistakes.
 */
export const callToolTool = defineTool({
  name: CALL_TOOL,
  description: 'Call a tool',
  category: 'meta',
  input: z.object({
    name: z.string().default(''),
    arguments: z.unknown().meta({ type: 'object' }).optional(),
  }),

  async run() {
    throw new AppError(
      'tool-failed',
      'Give the `name` of a tool that more_tools lists, and its `arguments`.',
      {
        failure: 'bad-arguments',
      },
    )
  },
})
