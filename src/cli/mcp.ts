/** `covey mcp`: servers whose tools the model may use, and our tools for other programs. */
import type { Command } from './command.ts'
import { permissionModeNames } from '../protocol/permission-modes.ts'

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'List and test MCP servers, or serve as one',
  usage: '[ls | test [name] | serve]',
  options: [
    {
      flags: '-p, --permission <mode>',
      description: `what serve may do without asking: ${permissionModeNames}`,
    },
    { flags: '--profile <name>', description: 'a profile of the configuration' },
    { flags: '--cwd <folder>', description: 'work in this folder' },
  ],
  examples: ['covey mcp', 'covey mcp test github', 'covey mcp serve --permission accept-edits'],
  run: async (context) => (await import('./mcp-actions.ts')).actOnMcp(context),
}
