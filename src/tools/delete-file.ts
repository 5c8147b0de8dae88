/** Deletes a file or folder; `covey undo` brings it back. */
import { z } from 'zod'
import { defineTool } from '../protocol/tool.ts'
import { checkOperation, operate } from './files/operate.ts'

export const deleteFileTool = defineTool({
  name: 'delete_file',
  description: 'Delete a file or folder',
  category: 'write',
  input: z.object({ path: z.string() }),
  paths: ['path'],
  access: ({ path }) => [{ kind: 'write', target: path }],
  check: ({ path }, context) => checkOperation({ do: 'delete', path }, context),
  run: ({ path }, context) => operate({ do: 'delete', path }, context),
})
