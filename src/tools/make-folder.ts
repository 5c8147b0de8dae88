/** A folder, with the folders above it. */
import { z } from 'zod'
import { defineTool } from '../protocol/tool.ts'
import { checkOperation, operate } from './files/operate.ts'

export const makeFolderTool = defineTool({
  name: 'make_folder',
  description: 'Make a folder',
  category: 'write',
  input: z.object({ path: z.string() }),
  paths: ['path'],
  creates: true,
  access: ({ path }) => [{ kind: 'write', target: path }],
  check: ({ path }, context) => checkOperation({ do: 'make', path }, context),
  run: ({ path }, context) => operate({ do: 'make', path }, context),
})
