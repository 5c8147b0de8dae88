/** A copy of a file or folder under another path; nothing is replaced. */
import { z } from 'zod'
import { defineTool } from '../protocol/tool.ts'
import { checkOperation, operate } from './files/operate.ts'

export const copyFileTool = defineTool({
  name: 'copy_file',
  description: 'Copy a file or folder to a new path',
  category: 'write',
  input: z.object({ from: z.string(), to: z.string() }),
  paths: ['from'],
  access: ({ from, to }) => [
    { kind: 'read', target: from },
    { kind: 'write', target: to },
  ],
  check: ({ from, to }, context) => checkOperation({ do: 'copy', from, to }, context),
  run: ({ from, to }, context) => operate({ do: 'copy', from, to }, context),
})
