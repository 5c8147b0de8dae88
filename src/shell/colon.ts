/** Commands of the shell mode itself: `:name argument`. `: words` and `:` alone are the shell's own. */
const colonCommands = {
  help: 'what can be typed here',
  context: 'what the next question would send',
  forget: 'empties it',
  fix: 'asks about the last command that failed',
  agent: 'TASK: gives the task to the full agent, in this folder',
  model: '[ARM]: who answers; without a name lists them',
  fast: 'the arm of shell.fast answers',
  deep: 'the arm of shell.deep answers',
} as const

type ColonName = keyof typeof colonCommands

export type ColonLine =
  | { readonly name: ColonName; readonly argument: string }
  /** `:2`: that proposal. */
  | { readonly proposal: number }
  | { readonly unknown: string }

export function toColonLine(line: string): ColonLine | undefined {
  const match = /^\s*:([A-Za-z]+|\d{1,2})(?:\s+([\s\S]*))?$/.exec(line)
  if (!match) return undefined
  const [, name = '', argument = ''] = match
  if (/^\d/.test(name)) return argument.trim() === '' ? { proposal: Number(name) } : undefined
  if (Object.hasOwn(colonCommands, name)) return { name: name as ColonName, argument: argument.trim() }
  return { unknown: name }
}

export const helpText = (): string =>
  [
    'A line that reads like a question is asked; a command runs as always.',
    '?words  asks in any case   !words  runs in any case   Alt+Enter  asks the line, or takes the last one the other way',
    ...Object.entries(colonCommands).map(([name, does]) => `:${name.padEnd(8)} ${does}`),
    ':1 :2     puts that proposal on the line; the arrow keys choose, too',
  ].join('\n')
