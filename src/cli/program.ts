/**
 * The command line, made from the list of commands. Words that name no command are a prompt, unless the first one looks
 * like a mistyped command: then it is an error with a suggestion, never a question to a model.
 */
import { Command as Commander, CommanderError, Option } from 'commander'
import { AppError, errorMessage } from '../protocol/error.ts'
import { cleanControl } from '../lib/clean.ts'
import { distance } from '../lib/nearest.ts'
import type { Command, CommandContext, CommandIo } from './command.ts'
import { commands } from './commands.ts'
import { promptCommand } from './run.ts'
import { safeIo } from './safe-io.ts'
import { exitCodes } from './exit-codes.ts'

export type Surroundings = Omit<CommandContext, 'args' | 'options'> & { readonly version: string }

export async function runProgram(argv: readonly string[], given: Surroundings): Promise<number> {
  const io = safeIo(given.io)
  const surroundings = { ...given, io }
  let exitCode: number = exitCodes.ok
  const program = buildProgram(surroundings, (code) => {
    exitCode = code
  })
  try {
    const meant = meantWords(argv)
    const typo = mistypedCommand(meant)
    if (typo) throw new AppError('config-invalid', typo)
    await program.parseAsync(withHelpFlag(meant), { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    return report(error, io)
  }
}

/** One line for a person; the exit code says whose turn it is. */
function report(error: unknown, io: CommandIo): number {
  io.err(`covey: ${cleanControl(errorMessage(error))}\n`)
  const isUsage = error instanceof AppError && usageCodes.has(error.code)
  return isUsage ? exitCodes.usage : exitCodes.failed
}

const usageCodes: ReadonlySet<string> = new Set(['config-invalid', 'session-unknown'])

function buildProgram(surroundings: Surroundings, finish: (code: number) => void): Commander {
  const { io, version } = surroundings
  const program = new Commander('covey')
  program
    .version(version)
    .description('A coding agent for small local models.')
    .showHelpAfterError('(covey --help shows all options)')
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      outputError: (text, write) => write(text.replace(/^error: /, 'covey: ')),
    })
    .exitOverride()
    .enablePositionalOptions()
  addCommand(program, promptCommand, { surroundings, finish })
  for (const command of commands) {
    const child = program
      .command(command.name)
      .summary(command.summary)
      .description(command.summary)
      .exitOverride()
    child.configureOutput(program.configureOutput())
    addCommand(child, command, { surroundings, finish })
  }
  return program
}

type Wiring = { readonly surroundings: Surroundings; finish(code: number): void }

function addCommand(target: Commander, command: Command, { surroundings, finish }: Wiring): void {
  target.usage(`${command.usage}`).argument('[words...]')
  for (const { flags, description } of command.options ?? []) target.addOption(new Option(flags, description))
  target.addHelpText(
    'after',
    `\nExamples:\n${command.examples.map((example) => `  $ ${example}`).join('\n')}`,
  )
  target.action(async (words: string[], own: Record<string, unknown>) => {
    const options = { ...flagsBefore(target), ...own }
    const capture = (argv: readonly string[]) => captured(argv, surroundings)
    finish(await command.run({ ...surroundings, capture, args: words, options }))
  })
}

/** Flags before the name of a command, as in `covey --base-url URL models`: the command's own, or an error. */
function flagsBefore(command: Commander): Record<string, unknown> {
  const { parent } = command
  const said = parent?.options.filter(
    (option) => parent.getOptionValueSource(option.attributeName()) === 'cli',
  )
  const known = new Set(command.options.map((option) => option.attributeName()))
  const stray = said?.find((option) => !known.has(option.attributeName()))
  if (stray) command.error(`error: covey ${command.name()} has no option '${stray.long ?? stray.flags}'`)
  return Object.fromEntries(
    said?.map((option) => [option.attributeName(), parent?.getOptionValue(option.attributeName())]) ?? [],
  )
}

async function captured(argv: readonly string[], surroundings: Surroundings): Promise<string> {
  let text = ''
  const take = (part: string): void => void (text += part)
  const io = { ...surroundings.io, out: take, err: take, isTty: false, piped: async () => undefined }
  await runProgram(argv, { ...surroundings, io })
  return text
}

/** `covey help run` is `covey run --help`; `covey help me ...` is a prompt. */
function withHelpFlag(argv: readonly string[]): readonly string[] {
  const [first, name, ...rest] = argv
  if (first !== 'help' || rest.length > 0) return argv
  if (name === undefined) return ['--help']
  return commands.some((command) => command.name === name) ? [name, '--help'] : argv
}

/** What people type out of habit, as the flag or the command it stands for here. */
const HABITS: Readonly<Record<string, readonly string[]>> = {
  version: ['--version'],
  ls: ['sessions', 'ls'],
  chat: [],
  resume: ['--resume'],
}

const meantWords = (argv: readonly string[]): readonly string[] => {
  const [only] = argv
  return argv.length === 1 && only !== undefined && Object.hasOwn(HABITS, only)
    ? (HABITS[only] ?? argv)
    : argv
}

/** Commands of other programs: asking a model about such a word is never what was meant. */
const ELSEWHERE: ReadonlySet<string> = new Set(
  'init login logout update upgrade install uninstall start stop status web bench man logs'.split(' '),
)

/** `covey modles ls` is a slip; `covey "modles"` with a space in it, or words far from any command, are a prompt. */
function mistypedCommand(argv: readonly string[]): string | undefined {
  const [first] = argv[0] === 'help' && argv.length === 2 ? argv.slice(1) : argv
  if (first === undefined || !/^[a-z-]{3,}$/.test(first) || first.startsWith('-')) return undefined
  const names = commands.map(({ name }) => name)
  if (names.includes(first) || first === 'help') return undefined
  if (argv.length === 1 && ELSEWHERE.has(first))
    return `there is no command "${first}"; \`covey --help\` lists them. As a prompt: covey run "${first}"`
  const near = names.find((name) => distance(first, name) <= Math.min(2, Math.floor(first.length / 2)))
  if (!near) return undefined
  return `unknown command "${first}"; did you mean \`covey ${near}\`? A prompt goes in quotes: covey run "${argv.join(' ')}"`
}
