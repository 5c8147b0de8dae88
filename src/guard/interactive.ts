/**
 * Programs that wait for a person. Nothing is typed to a command here, so they would hang or say nothing; the model is
 * told what to use instead. This is help, not a boundary: what slips through meets a closed stdin.
 */

/** What to do instead of starting an interactive program, or `undefined` when the command has none. */
export function interactiveHint(command: string): string | undefined {
  for (const { words, hasInput } of toSteps(command)) {
    const [program = '', ...rest] = withoutPrefixes(words)
    const rule = rules.get(program.slice(program.lastIndexOf('/') + 1))
    if (!rule || (hasInput && !rule.always)) continue
    if (rule.when(rest)) return `${program} waits for a person and nothing can be typed here: ${rule.instead}`
  }
  return undefined
}

type Rule = {
  readonly when: (rest: readonly string[]) => boolean
  readonly instead: string
  /** It wants a terminal even when something is piped into it. */
  readonly always?: boolean
}

const anyway = (): boolean => true
const isBare = (rest: readonly string[]): boolean => rest.every((word) => /^-[iqu]+$/.test(word))
const hasFlag =
  (pattern: RegExp) =>
  (rest: readonly string[]): boolean =>
    rest.some((word) => pattern.test(word))

const editor: Rule = { when: anyway, instead: 'use edit_file or write_file.', always: true }
const pager: Rule = { when: anyway, instead: 'use read_file, or cat.' }
const interpreter: Rule = { when: isBare, instead: 'give it a file, or code with -c or -e.' }
const monitor: Rule = {
  when: (rest) => !hasFlag(/^-\w*b|^--batch/)(rest),
  instead: 'use ps, or top -bn1.',
  always: true,
}
const screen: Rule = { when: anyway, instead: 'use run_command with background: true.', always: true }

const rules = new Map<string, Rule>([
  ...['vi', 'vim', 'nvim', 'view', 'nano', 'pico', 'micro'].map((name) => [name, editor] as const),
  ['emacs', { ...editor, when: (rest) => !hasFlag(/^--?(?:batch|script)/)(rest) }],
  ...['less', 'more', 'most'].map((name) => [name, pager] as const),
  ...['top', 'htop', 'btop', 'atop'].map((name) => [name, monitor] as const),
  ...['tmux', 'screen', 'watch'].map((name) => [name, screen] as const),
  ...['python', 'python3', 'ipython', 'node', 'irb', 'ghci', 'bash', 'sh', 'zsh', 'fish', 'bc'].map(
    (name) => [name, interpreter] as const,
  ),
  [
    'ssh',
    { when: (rest) => operands(rest).length < 2, instead: 'give the command to run: ssh host command.' },
  ],
  ...['telnet', 'ftp', 'sftp'].map((name) => [name, { when: anyway, instead: 'use curl or scp.' }] as const),
  ['git', { when: isInteractiveGit, instead: 'use the form without -i or -p.' }],
])

/** Options of ssh that take the next word as their value. */
const SSH_VALUE = /^-\w*[BbcDEeFIiJLlmOopQRSWw]$/

const operands = (rest: readonly string[]): readonly string[] =>
  rest.filter((word, index) => !word.startsWith('-') && !SSH_VALUE.test(rest[index - 1] ?? ''))

function isInteractiveGit(rest: readonly string[]): boolean {
  const [action = '', second] = rest
  if (action === 'stash' && second === 'show') return false
  return (
    ['rebase', 'add', 'checkout', 'reset', 'stash'].includes(action) &&
    hasFlag(/^(?:-i|-p|--interactive|--patch)$/)(rest)
  )
}

const withoutPrefixes = (words: readonly string[]): readonly string[] => {
  const start = words.findIndex((word) => !/^\w+=/.test(word) && !['sudo', 'exec', 'time'].includes(word))
  return start < 0 ? [] : words.slice(start)
}

type Step = { readonly words: readonly string[]; readonly hasInput: boolean }

/** The simple commands of a line, quotes respected. Good enough to give a hint, not to judge what is allowed. */
function toSteps(command: string): Step[] {
  const steps: Step[] = []
  let words: string[] = []
  let hasInput = false
  for (const [token] of command.matchAll(/'[^']*'|"(?:[^"\\]|\\.)*"|[;&|\n]+|<+|[^\s;&|<'"]+/g)) {
    if (/^[;&|\n]/.test(token)) {
      steps.push({ words, hasInput })
      words = []
      hasInput = token === '|' || token === '|&'
    } else if (token.startsWith('<')) hasInput = true
    else words.push(token)
  }
  return [...steps, { words, hasInput }]
}
