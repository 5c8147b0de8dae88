/** Moves or renames a file or folder; nothing is replaced. */
import { z } from 'zod'
import { defineTool } from '../protocol/tool.ts'
import { checkOperation, operate } from './files/operate.ts'

export const moveFileTool = defineTool({
  name: 'move_file',
  description: 'Move or rename a file or folder',
  category: 'write',
  input: z.object({ from: z.string(), to: z.string() }),
  paths: ['from'],
  access: ({ from, to }) => [
    { kind: 'write', target: from },
    { kind: 'write', target: to },
  ],
  check: ({ from, to }, context) => checkOperation({ do: 'move', from, to }, context),
  run: ({ from, to }, context) => operate({ do: 'move', from, to }, context),
})
