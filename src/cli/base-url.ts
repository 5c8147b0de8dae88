/** `--base-url` of the commands that ask servers what they have. */
import type { CommandContext, CommandOption } from './command.ts'

export const baseUrlOption: CommandOption = {
  flags: '--base-url <url>',
  description: 'ask only the server at this address',
}

export const baseUrlOf = ({ baseUrl }: CommandContext['options']): string | undefined =>
  typeof baseUrl === 'string' ? baseUrl : undefined
