/** Code blocks of the documentation, and whether the command lines in them name what exists. Pure. */
import type { Command } from '../../src/cli/command.ts'

export type CodeBlock = { readonly language: string; readonly line: number; readonly text: string }

export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks = markdown.matchAll(/^( *)```(\w+)[^\n]*\n(.*?)^\1```/gms)
  return [...blocks].map(({ 2: language = '', 3: text = '', index }) => ({
    language,
    text,
    line: markdown.slice(0, index).split('\n').length + 1,
  }))
}

type Named = Pick<Command, 'name' | 'options'>

/** One line per `covey` call that names an unknown command or flag. `bare` is covey without a command. */
export function wrongCalls(shell: string, commands: readonly Named[], bare: Named): string[] {
  const calls = shell
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap(commandsOf)
    .flatMap((words) => (words[0] === 'covey' ? [words.slice(1)] : []))
  return calls.flatMap((words) => wrongWords(words, commands, bare))
}

function wrongWords(words: readonly string[], commands: readonly Named[], bare: Named): string[] {
  const values = valueFlags(bare)
  const first = words.findIndex((word, index) => !word.startsWith('-') && !values.has(words[index - 1] ?? ''))
  const leading = unknownFlags(first === -1 ? words : words.slice(0, first), bare)
  const name = words[first] ?? ''
  // Only a plain word can be a command; anything else, quoted above all, is a prompt.
  const command = /^[a-z][a-z-]*$/.test(name) ? commands.find((candidate) => candidate.name === name) : bare
  if (leading.length > 0) return leading
  return command ? unknownFlags(words.slice(first), command) : [`covey has no command ${name}`]
}

function unknownFlags(words: readonly string[], command: Named): string[] {
  const known = flagsOf(command)
  const label = command.name === 'covey' ? 'covey' : `covey ${command.name}`
  const flags = words.flatMap((word) => /^--?[a-z][\w-]*/.exec(word)?.[0] ?? [])
  return flags.filter((flag) => !known.has(flag)).map((flag) => `${label} has no flag ${flag}`)
}

const flagsOf = ({ options = [] }: Named): Set<string> => {
  const own = options.flatMap(({ flags }) => flags.match(/--?[a-z][\w-]*/g) ?? [])
  return new Set([...own, '--help', '-h', '--version', '-V'])
}

const valueFlags = ({ options = [] }: Named): Set<string> =>
  new Set(
    options
      .filter(({ flags }) => flags.includes('<'))
      .flatMap(({ flags }) => flags.match(/--?[a-z][\w-]*/g) ?? []),
  )

/** The commands of one line as words: pipes and lists apart, quotes kept, prompt sign, variables and comment left out. */
function commandsOf(line: string): string[][] {
  const tokens =
    line.match(/"(?:[^"\\]|\\.)*"|'[^']*'|#.*|[|&;]+|(?:[^\s"'|&;]|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? []
  const commands: string[][] = [[]]
  for (const token of tokens) {
    if (token.startsWith('#')) break
    if (/^[|&;]+$/.test(token)) commands.push([])
    else if (!isPrelude(token, commands.at(-1) ?? [])) commands.at(-1)?.push(token)
  }
  return commands
}

const isPrelude = (token: string, before: readonly string[]): boolean =>
  before.length === 0 && (token === '$' || token === 'npx' || /^\w+=/.test(token))
