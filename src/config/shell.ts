/** The shell mode, as it is configured. */
import { z } from 'zod'

export const shellSchema = z
  .strictObject({
    fast: z
      .string()
      .exactOptional()
      .describe('The arm that `:fast` switches to, with the window and sampling of its entry in `arms`.'),
    deep: z.string().exactOptional().describe('The arm that `:deep` switches to.'),
  })
  .prefault({})
  .describe('`covey shell`: who answers there.')
