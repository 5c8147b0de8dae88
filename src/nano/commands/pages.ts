/** Commands in the code of the project's pages: what is to be typed stands behind `$ `, in a fence or indented. Pure. */
import type { Command } from './ask.ts'
import { hasEnglish, isListed } from './programs.ts'
import type { PathProject } from '../paths/project.ts'
import { wordsIn } from '../opinion/tokens.ts'

const shown = new WeakMap<PathProject, readonly Command[]>()

export function pageCommands(project: PathProject): readonly Command[] {
  const found = shown.get(project) ?? readPages(project)
  shown.set(project, found)
  return found
}

const MOST_PAGE_COMMANDS = 60

function readPages({ texts }: PathProject): Command[] {
  const pages = [...texts].filter(([path]) => /\.(?:md|txt|rst)$/.test(path))
  const commands = new Map<string, Command>()
  for (const line of pages.flatMap(([, text]) => withBefore(text.split('\n')))) {
    const command = commandIn(line.text)
    if (command !== undefined)
      commands.set(command, {
        command,
        source: 'page',
        label: wordsIn(command),
        about: new Set(wordsIn(`${line.before} ${line.text}`)),
      })
  }
  return [...commands.values()].slice(0, MOST_PAGE_COMMANDS)
}

/** Each line with the last one before it that says something. */
function withBefore(lines: readonly string[]): { readonly text: string; readonly before: string }[] {
  let before = ''
  return lines.map((text) => {
    const line = { text, before }
    if (text.trim() !== '' && !text.startsWith('```') && commandIn(text) === undefined) before = text
    return line
  })
}

const LONGEST_COMMAND = 90

function commandIn(line: string): string | undefined {
  const [, inline] = /`([^`]+)`/.exec(line) ?? []
  const isShown = inline !== undefined || /^(?:\s*\$ |\t| {2,}|[a-z./-]+ )/.test(line)
  const command = (inline ?? line)
    .trim()
    .replace(/^\$ /, '')
    .replace(/\s+#.*$|\s{2,}.*$/, '')
  const isCommand =
    isListed(command.split(/\s/)[0] ?? '') && command.includes(' ') && command.length < LONGEST_COMMAND
  return isShown && isCommand && !hasEnglish(command) && !/[<>[\]{}]|\.\.\./.test(command)
    ? command
    : undefined
}
