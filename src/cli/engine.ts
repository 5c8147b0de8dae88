/** `covey engine`: which build of llama.cpp computes here, what would be faster, adding and removing builds. */
import type { Command } from './command.ts'

export const engineCommand: Command = {
  name: 'engine',
  summary: 'Show the embedded engine, add or remove builds for graphics cards',
  usage: '[ls | add <cuda|vulkan> | rm <cuda|vulkan>]',
  options: [
    { flags: '--json', description: 'as JSON' },
    { flags: '--offline', description: 'add: refuse to use the network' },
  ],
  examples: ['covey engine', 'covey engine add cuda', 'covey engine rm cuda'],
  run: async (context) => (await import('./engine-actions.ts')).actOnEngine(context),
}
