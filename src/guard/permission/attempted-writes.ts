/**
 * The paths a command would write by its own words: targets of redirections, operands of programs that are known to write,
 * and what options such as `--output` name. Words that are printed, read or handed to code are none of them. Text only;
 * links are not followed.
 */
import { basename, join } from 'node:path'
import { programName } from '../shell/prefix.ts'
import { judgeProgram } from '../shell/programs.ts'
import { type Part, readScript, type Script, unread } from '../shell/script.ts'
import type { Word } from '../shell/word.ts'
import { unwrap } from '../shell/unwrap.ts'
import { absolute, foldersOf, type Surroundings } from './named-paths.ts'

export type AttemptedWrite = {
  /** Absolute, without `.` and `..`. */
  readonly path: string
  /** A folder is made there, with everything that is missing above it. */
  readonly makes?: 'folder'
  /** It may be a folder that is there already, and then a file of this name in it is written. */
  readonly into?: readonly string[]
}

export async function attemptedWrites(
  script: Script,
  surroundings: Surroundings,
): Promise<readonly AttemptedWrite[]> {
  const scripts = await withInner(script)
  const folders = [surroundings.cwd, ...scripts.flatMap((each) => foldersOf(each, surroundings))]
  const targets = scripts.flatMap(({ writes, parts }) => [
    ...writes.map((word) => ({ word })),
    ...parts.flatMap(({ words }) => targetsOf(words)),
  ])
  return targets
    .filter(({ word }) => word.filled !== '' && !word.glob)
    .flatMap(({ word, ...more }) =>
      folders.map((folder) => ({ path: absolute(word.filled, folder, surroundings), ...more })),
    )
}

/** What `timeout`, `env`, `sh -c` and the like run. */
async function withInner(script: Script, depth = MOST_WRAPPERS): Promise<readonly Script[]> {
  const inner = depth === 0 ? [] : await Promise.all(script.parts.map(innerOf))
  const deeper = await Promise.all(inner.flat().map((each) => withInner(each, depth - 1)))
  return [script, ...deeper.flat()]
}

async function innerOf({ words: [name, ...args], ...rest }: Part): Promise<readonly Script[]> {
  const inner = name && unwrap(programName(name.text), args)
  if (inner?.kind === 'text') return [await readScript(inner.text)]
  return inner?.kind === 'words' ? [{ ...EMPTY, parts: [{ ...rest, words: inner.words }] }] : []
}

const EMPTY = unread('')
const MOST_WRAPPERS = 3

type Target = Omit<AttemptedWrite, 'path'> & { readonly word: Word }

function targetsOf([name, ...args]: readonly Word[]): readonly Target[] {
  if (!name || name.dynamic) return []
  const program = programName(name.text)
  if (judgeProgram(program, args).kind === 'read-only') return []
  return [...(WRITERS[program]?.(args) ?? []), ...outputsOf(args).map((word) => ({ word }))]
}

type Writer = (args: readonly Word[]) => readonly Target[]

const operandsOf = (args: readonly Word[]): readonly Word[] => {
  const end = args.findIndex(({ text }) => text === '--')
  const options = end < 0 ? args : args.slice(0, end)
  return [
    ...options.filter(({ text }) => !text.startsWith('-') || text === '-'),
    ...(end < 0 ? [] : args.slice(end + 1)),
  ]
}

const everyOperand: Writer = (args) => operandsOf(args).map((word) => ({ word }))
const makesFolders: Writer = (args) => operandsOf(args).map((word) => ({ word, makes: 'folder' as const }))

/** `cp a b`, `cp a folder`, `cp -t folder a`. */
const lastOperand: Writer = (args) => {
  const at = args.findIndex(({ text }) => /^(?:-[a-zA-Z]*t|--target-directory(?:=.*)?)$/.test(text))
  const option = args[at]
  const operands = operandsOf(args)
  const target = !option ? operands.at(-1) : option.text.includes('=') ? after(option, '=') : args[at + 1]
  if (!target || operands.length < (option ? 1 : 2)) return []
  const into = operands.filter((word) => word !== target && !word.glob).map(({ filled }) => basename(filled))
  return [{ word: target, into }]
}

/** `git init folder`, `git clone url folder`, `git worktree add folder`. */
const gitFolder: Writer = (args) => {
  const words = operandsOf(args)
  const at = words.findIndex(({ text }) => /^(?:init|clone|worktree)$/.test(text))
  const least = words[at]?.text === 'init' ? 1 : 2
  const target = words[words[at]?.text === 'worktree' ? at + 2 : words.length - 1]
  return at < 0 || words.length - at - 1 < least || !target ? [] : [{ word: target, makes: 'folder' }]
}

/** `cargo new folder`. */
const cargoFolder: Writer = (args) => (args[0]?.text === 'new' ? makesFolders(args.slice(1)).slice(-1) : [])

/** Behind its script, where it changes files in place. */
const sedFiles: Writer = (args) =>
  args.some(({ text }) => /^-[a-zA-Z]*i|^--in-place/.test(text)) ? everyOperand(args) : []

const WRITERS: Readonly<Record<string, Writer>> = {
  touch: everyOperand,
  tee: everyOperand,
  truncate: everyOperand,
  mkfifo: everyOperand,
  patch: everyOperand,
  mkdir: makesFolders,
  cp: lastOperand,
  mv: lastOperand,
  ln: lastOperand,
  install: lastOperand,
  rsync: lastOperand,
  git: gitFolder,
  cargo: cargoFolder,
  sed: sedFiles,
}

const OUTPUT = /^(?:-[oO]|--(?:out|output)(?:-?(?:file|dir|directory|document))?)$/i
const GLUED_OUTPUT = /^(?:of|--(?:out|output)(?:-?(?:file|dir|directory|document))?)=/i

const outputsOf = (args: readonly Word[]): readonly Word[] =>
  args.flatMap((word, at) => {
    if (GLUED_OUTPUT.test(word.filled)) return [after(word, '=')]
    const next = args[at + 1]
    return OUTPUT.test(word.text) && next ? [next] : []
  })

function after(word: Word, sign: string): Word {
  const cut = (text: string): string => text.slice(text.indexOf(sign) + 1)
  return { ...word, text: cut(word.text), filled: cut(word.filled) }
}

/** Files that the write may mean, where its target is a folder. */
export const filesIn = ({ path, into = [] }: AttemptedWrite): readonly string[] =>
  into.map((name) => join(path, name))
