/** The terminal, as it is configured. */
import { z } from 'zod'

export const tuiSchema = z
  .strictObject({
    keys: z
      .enum(['standard', 'vim'])
      .default('standard')
      .describe('Keys of the box that is typed into: those of most programs, or those of Vim.'),
    notify: z
      .enum(['unfocused', 'always', 'off'])
      .default('unfocused')
      .describe(
        'Ring the bell, and show a note where the terminal can, when a question waits or a long run ends: while another window has the focus, always, or never.',
      ),
    notify_after_s: z.number().min(0).default(10).describe('Seconds after which a run is a long one.'),
  })
  .prefault({})
  .describe('The conversation on a terminal.')
