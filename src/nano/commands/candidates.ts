/**
 * What a clause may ask to run: commands it spells, scripts of the project, files that an interpreter runs and programs that read files,
 * each with what the clause gives it to work on, commands that the project's pages show, and facts of git and the machine. Pure.
 */
import type { Command, CommandAsk } from './ask.ts'
import { factsIn } from './facts.ts'
import { filesFor } from './files.ts'
import { pageCommands } from './pages.ts'
import { saidCommands } from './said.ts'
import { projectCommands, scriptsFor } from './scripts.ts'
import { toolsFor } from './tools.ts'

export function commandsFor(ask: CommandAsk): Command[] {
  const tools = toolsFor(ask)
  return [
    ...saidCommands(ask).filter((said) => !isOpen(said, tools)),
    ...scriptsFor(ask),
    ...filesFor(ask),
    ...tools,
    ...pageCommands(ask.project).filter((command) => !isOfScript(command, ask)),
    ...otherCommands(ask),
  ]
}

/** `just check office` on a page only shows how a recipe is used; what the clause gives it is known better. */
const isOfScript = ({ command }: Command, { project }: CommandAsk): boolean =>
  projectCommands(project).some((script) => command.startsWith(`${script.command} `))

/** It reads files, and none is spelled behind it: `wc -l` in "how many lines is a.json? wc -l" means that file. */
const isOpen = ({ command }: Command, tools: readonly Command[]): boolean =>
  NEEDS_FILE.test(command) &&
  tools.some(
    (tool) =>
      tool.command.startsWith(`${command} `) &&
      tool.argument?.kind !== 'recent' &&
      (tool.marks ?? []).some((mark) => /^(?:path|folder) (?:spelled|share:all)$/.test(mark)),
  )

/** They do nothing, or look at the whole folder, where no file is given. */
const NEEDS_FILE = /^(?:wc|du|head|tail|stat|file|bash|sh|php|node|jq|xmllint|md5sum|sha256sum)\b/

const otherCommands = (ask: CommandAsk): Command[] =>
  [...factsIn(ask.clause), ...sharesIn(ask.clause)].map(({ command, name }) => ({
    command,
    source: 'fact',
    label: [name],
    about: NONE,
  }))

/** What goes to others and comes from them; it is always asked for. */
const sharesIn = (clause: string): { readonly command: string; readonly name: string }[] =>
  SHARES.flatMap(([name, asks]) => (asks.test(clause) ? [{ command: `git ${name}`, name }] : []))

const SHARES: readonly (readonly [string, RegExp])[] = [
  ['push', /\bpush(?: (?:it|them|this|that|everything))?(?: (?:too|please|pls|now|up))*\W*$/i],
  ['pull', /\bpull(?: (?:the )?(?:latest|changes|newest))*(?: (?:first|please|pls|now))*\W*$/i],
]

const NONE: ReadonlySet<string> = new Set()
