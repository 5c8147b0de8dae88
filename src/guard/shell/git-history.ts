/**
 * Git keeps what a deny rule closes in its history, where the sandbox cannot hide it. This says of a command whether git
 * in it could show or unpack the content of files. Pure, and turned round: what is not known to leave contents alone could.
 */
import { posix } from 'node:path'
import { leavesAlone } from './git-calls.ts'
import { enter, foldersOf, type OpenPaths, type Repository, repositoryOf } from './git-folder.ts'
import type { Part, Script } from './script.ts'
import { runsOthers } from './prefix.ts'
import type { Word } from './word.ts'

/** Why git may show contents, for a person; `undefined` where nothing in it does. `text` is all of the command. */
export function showsHistory(text: string, scripts: readonly Script[], paths: OpenPaths): string | undefined {
  const parts = scripts.flatMap((script) => script.parts)
  const words = [...parts.flatMap((part) => part.words), ...scripts.flatMap(({ mentions }) => mentions)]
  if (words.some(({ filled }) => /(?:^|\/)\.git\/(?:objects|lost-found|worktrees|modules)\b/i.test(filled)))
    return 'it reads the files in which git keeps its history'
  if (STEERING.test(text.replaceAll(/["'\\]/g, ''))) return 'it tells git by a variable where to work'
  const reasons = scripts.flatMap((script) => {
    const folders = foldersOf(script, paths)
    return script.parts.flatMap((part) => gitCalls(part, { paths, folders }))
  })
  return reasons.find((why) => why !== undefined)
}

/** How a command may see the history. */
export type Sight = {
  /** Absent = the one that git finds in the project. */
  readonly repository?: Repository
  /** The repository must stay as it is: the command writes files, and a link could lead into it. */
  readonly isKept: boolean
}

/**
 * How a command sees the history, all of which is git at work in one repository of the project and what goes with it, and
 * none of which shows or unpacks what is closed. Stricter than above: what runs beside it would see the history as well.
 */
export function leavesContents(script: Script, paths: OpenPaths): Sight | undefined {
  const { parts, writes, mentions, functions, obscurities, isPartial } = script
  if (isPartial || obscurities.length > 0 || parts.length === 0 || functions.length > 0) return undefined
  const isTarget = (word: Word): boolean => writes.includes(word) && !word.dynamic && !word.glob
  if (mentions.some((word) => !/^(?:\/dev\/(?:null|stdout|stderr)|\d)$/.test(word.text) && !isTarget(word)))
    return undefined
  const folders = foldersOf(script, paths)
  if (!folders) return undefined
  const calls = parts.map((part) => judgePart(part, { paths, folders }))
  if (calls.some((call) => call === undefined)) return undefined
  const visited = calls.flatMap((call) => call ?? [])
  const isKept = writes.length > 0
  if (folders.length === 1 && visited.every((folder) => folder === '')) return { isKept }
  const repository = repositoryOf(visited, paths)
  return repository && { repository, isKept }
}

type Place = { readonly paths: OpenPaths; readonly folders: readonly string[] | undefined }

/** The folders in which its git works; undefined where it is neither git that is known nor what goes with it. */
function judgePart(
  { words: [program, ...args], hasAssignment }: Part,
  { paths, folders }: Place,
): readonly string[] | undefined {
  if (program === undefined || program.dynamic || hasAssignment) return undefined
  if (program.text === 'cd') return []
  if (program.text !== 'git') return isCompanion(program.text, args) ? [] : undefined
  const { why, folders: visited = [] } = judgeCall(args, { paths, folders })
  return why === undefined ? visited : undefined
}

/** They print, read nothing but what is piped into them, list names, or remove and make empty files. */
function isCompanion(program: string, args: readonly Word[]): boolean {
  if (/^(?:echo|printf|true|false|:|pwd|date|ls|basename|dirname)$/.test(program))
    return !args.some(({ glob }) => glob) || program === 'ls'
  if (/^(?:rm|mkdir|touch|rmdir)$/.test(program))
    return !args.some(({ dynamic, filled }) => dynamic || /\.git\b|\.\./i.test(filled))
  const others = args.filter(({ text, dynamic }) => dynamic || !/^(?:-[A-Za-z\d]+|\d+)$/.test(text))
  if (program === 'grep') return others.length <= 1 && !args.some(({ text }) => /^-\w*[rRfd]/.test(text))
  if (program === 'tr') return true
  if (program === 'sort') return args.every(({ text, dynamic }) => !dynamic && SORTED.test(text))
  if (program === 'cut') return args.every(({ text, dynamic }) => !dynamic && CUT.test(text))
  return /^(?:cat|head|tail|wc|uniq|nl|tac|rev)$/.test(program) && others.length === 0
}

const SORTED = /^-(?:[bdfghinruMV]+|k[\d.,]+[a-z]*|t.)$/
const CUT = /^-(?:d.|[fc][\d,-]+|s)$/

/** Files that are named one by one, and none of them closed from any of the folders. */
function isDiffOf(args: readonly Word[], { paths, folders }: Place): boolean {
  const start = args.findIndex(
    ({ text }) => !/^(?:--(?:cached|staged|word-diff|color|no-color)|-[wbU]\d*|HEAD)$/.test(text),
  )
  const named = args.slice(start).filter(({ text }, index) => index > 0 || text !== '--')
  const isOpen = (path: string): boolean =>
    !/^[:/-]|(?:^|\/)\.\.?(?:\/|$)/.test(path) &&
    (folders?.every((folder) => paths.isOpen(posix.join(folder, path))) ?? false)
  return (
    start >= 0 &&
    named.length > 0 &&
    named.every(({ text, dynamic, glob }) => !dynamic && !glob && isOpen(text))
  )
}

/** Variables that say which repository and which folder git works on, wherever they are set. */
const STEERING =
  /\bGIT_(?!PAGER\b|EDITOR\b|SEQUENCE_EDITOR\b|TERMINAL_PROMPT\b|OPTIONAL_LOCKS\b|AUTHOR_|COMMITTER_)[A-Z]/

function gitCalls(part: Part, place: Place): readonly (string | undefined)[] {
  const { words } = part
  const isWrapper = runsOthers(part) || baseName(words[0]) === 'find'
  return words.flatMap((word, index) => {
    if (index > 0 && !isWrapper) return []
    const name = baseName(word)
    if (/^git-[a-z-]+$/.test(name)) return [`${name} is a part of git itself`]
    if (name !== 'git') return []
    const { why, folders = [] } = judgeCall(words.slice(index + 1), place)
    const foreign = folders.find((folder) => folder !== '' && !place.paths.repositoryOf(folder))
    return [why ?? (foreign === undefined ? undefined : `${foreign} is a repository of its own`)]
  })
}

const baseName = (word: Word | undefined): string =>
  (word?.filled ?? '').slice((word?.filled ?? '').lastIndexOf('/') + 1).toLowerCase()

/** In front of the subcommand these say where, or how it is shown. */
const GLOBAL = /^(?:--no-pager|-P|-p|--paginate|--no-optional-locks|--literal-pathspecs)$/

type Judged = { readonly why?: string; readonly folders?: readonly string[] | undefined }

/** Why the call may show contents, and the folders it works in as far as they are known. */
function judgeCall(args: readonly Word[], { paths, folders: start }: Place): Judged {
  let folders = start
  let index = 0
  for (; index < args.length; index++) {
    const text = args[index]?.text ?? ''
    if (text === '-C') folders = folders && enter(args.slice(++index, index + 1), folders, paths)
    else if (!GLOBAL.test(text)) break
  }
  const [name, ...rest] = args.slice(index)
  if (!name) return { folders }
  const isKnown = !name.dynamic && leavesAlone(name.text, rest)
  if (isKnown || (name.text === 'diff' && isDiffOf(rest, { paths, folders }))) return { folders }
  return { why: `git ${name.dynamic ? '' : name.text} may show what is in its history`.replace('  ', ' ') }
}
