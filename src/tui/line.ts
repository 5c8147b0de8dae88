/** What a typed line means. A path is text, a mistyped command gets an error with the known ones. */
import { nearest } from '../lib/nearest.ts'
import { findCommand, slashCommands } from './commands.ts'

export type Meaning =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'quit' }
  /** `isPrivate`: its output does not go to the model. */
  | { readonly kind: 'shell'; readonly command: string; readonly isPrivate: boolean }
  | { readonly kind: 'command'; readonly name: string; readonly argument: string }
  | { readonly kind: 'unknown'; readonly text: string }

export function meaningOf(line: string, isSkill: (line: string) => boolean): Meaning {
  if (/^(?:quit|exit|:q)$/.test(line)) return { kind: 'quit' }
  const [, signs = '', command = ''] = /^(!!?)\s*([^\s!][\s\S]*)$/.exec(line) ?? []
  if (command !== '') return { kind: 'shell', command, isPrivate: signs === '!!' }
  const [, name, argument = ''] = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(line) ?? []
  if (name === undefined) return { kind: 'prompt' }
  if (isSkill(line)) return { kind: 'prompt' }
  if (findCommand(name)) return { kind: 'command', name, argument: argument.trim() }
  const near = nearest(
    name,
    slashCommands.map((command) => command.name),
  )
  return {
    kind: 'unknown',
    text: `unknown command /${name}${near === undefined ? '' : `; did you mean /${near}?`} /help lists them`,
  }
}
