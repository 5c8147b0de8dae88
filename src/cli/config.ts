/** `covey config`: what is set, where it comes from, whether it is right. */
import type { Command } from './command.ts'

export const configCommand: Command = {
  name: 'config',
  summary: 'Show, explain and check the configuration',
  usage: 'show | explain [key] | check | path',
  options: [
    { flags: '--profile <name>', description: 'a profile of the configuration' },
    { flags: '--cwd <folder>', description: 'the project folder' },
  ],
  examples: [
    'covey config show                        # everything that is set, as TOML',
    'covey config explain engine.max_turns    # its value, where it comes from, what it means',
    'covey config explain arms                # every key an arm can have',
    'covey config check                       # exit code 2 and a line for every mistake',
    '$EDITOR "$(covey config path)"',
  ],
  run: async (context) => (await import('./config-actions.ts')).actOnConfig(context),
}
