/**
 * Git keeps what a deny rule closes in its history, where the sandbox cannot hide it. This says of a command whether git
 * in it could show or unpack the content of files. Pure, and turned round: what is not known to leave contents alone could.
 */
import type { Part, Script } from './script.ts'
import { runsOthers } from './prefix.ts'
import type { Word } from './word.ts'

/** Why git may show contents, for a person; `undefined` where nothing in it does. `text` is all of the command. */
export function showsHistory(text: string, scripts: readonly Script[], isOpen: IsOpen): string | undefined {
  const parts = scripts.flatMap((script) => script.parts)
  const words = [...parts.flatMap((part) => part.words), ...scripts.flatMap(({ mentions }) => mentions)]
  if (words.some(({ filled }) => /(?:^|\/)\.git\/(?:objects|lost-found|worktrees|modules)\b/i.test(filled)))
    return 'it reads the files in which git keeps its history'
  if (STEERING.test(text.replaceAll(/["'\\]/g, ''))) return 'it tells git by a variable where to work'
  return parts.flatMap((part) => gitCalls(part, isOpen)).find((why) => why !== undefined)
}

/** Whether a path of the project is a file that no rule closes. */
export type IsOpen = (path: string) => boolean

/**
 * Whether all of a command is git at work in the project's own repository and what goes with it, none of which shows or
 * unpacks what is closed. Stricter than above: what runs beside it would see the history as well.
 */
export function leavesContents(script: Script, isOpen: IsOpen): boolean {
  const { parts, writes, mentions, functions, isPartial } = script
  if (isPartial || parts.length === 0 || functions.length > 0) return false
  if (writes.some(({ text }) => text !== '/dev/null')) return false
  if (mentions.some(({ text }) => !/^(?:\/dev\/null|\d)$/.test(text))) return false
  return parts.every(({ words: [program, ...args], hasAssignment }) => {
    if (program === undefined || program.dynamic || hasAssignment) return false
    if (program.text !== 'git') return isCompanion(program.text, args)
    return !args.some(({ text }) => text === '-C') && judgeCall(args, isOpen) === undefined
  })
}

/** They print, or read nothing but what is piped into them. */
function isCompanion(program: string, args: readonly Word[]): boolean {
  if (/^(?:echo|printf|true|false|:|pwd)$/.test(program)) return !args.some(({ glob }) => glob)
  const others = args.filter(({ text, dynamic }) => dynamic || !/^(?:-[A-Za-z\d]+|\d+)$/.test(text))
  if (program === 'grep') return others.length <= 1 && !args.some(({ text }) => /^-\w*[rRfd]/.test(text))
  return /^(?:cat|head|tail|wc|uniq|nl)$/.test(program) && others.length === 0
}

/** Files that are named one by one, and none of them closed. */
function isDiffOf(args: readonly Word[], isOpen: IsOpen): boolean {
  const start = args.findIndex(
    ({ text }) => !/^(?:--(?:cached|staged|word-diff|color|no-color)|-[wbU]\d*|HEAD)$/.test(text),
  )
  const paths = args.slice(start).filter(({ text }, index) => index > 0 || text !== '--')
  return (
    start >= 0 &&
    paths.length > 0 &&
    paths.every(({ text, dynamic, glob }) => !dynamic && !glob && isOpen(text))
  )
}

/** Variables that say which repository and which folder git works on, wherever they are set. */
const STEERING =
  /\bGIT_(?!PAGER\b|EDITOR\b|SEQUENCE_EDITOR\b|TERMINAL_PROMPT\b|OPTIONAL_LOCKS\b|AUTHOR_|COMMITTER_)[A-Z]/

function gitCalls(part: Part, isOpen: IsOpen): readonly (string | undefined)[] {
  const { words } = part
  const isWrapper = runsOthers(part) || baseName(words[0]) === 'find'
  return words.flatMap((word, index) => {
    if (index > 0 && !isWrapper) return []
    const name = baseName(word)
    if (/^git-[a-z-]+$/.test(name)) return [`${name} is a part of git itself`]
    return name === 'git' ? [judgeCall(words.slice(index + 1), isOpen)] : []
  })
}

const baseName = (word: Word | undefined): string =>
  (word?.filled ?? '').slice((word?.filled ?? '').lastIndexOf('/') + 1).toLowerCase()

/** In front of the subcommand these say where, or how it is shown. */
const GLOBAL = /^(?:--no-pager|-P|-p|--paginate|--no-optional-locks|--literal-pathspecs)$/

function judgeCall(args: readonly Word[], isOpen: IsOpen): string | undefined {
  let index = 0
  for (; index < args.length; index++) {
    const text = args[index]?.text ?? ''
    if (text === '-C') index++
    else if (!GLOBAL.test(text)) break
  }
  const [name, ...rest] = args.slice(index)
  if (!name) return undefined
  const judge = name.dynamic ? undefined : CALLS.get(name.text)
  if (judge?.(rest) || (name.text === 'diff' && isDiffOf(rest, isOpen))) return undefined
  return `git ${name.dynamic ? '' : name.text} may show what is in its history`.replace('  ', ' ')
}

/** Whether the call leaves the contents of files alone. */
type Leaves = (args: readonly Word[]) => boolean

const always: Leaves = () => true

const without =
  (never: RegExp): Leaves =>
  (args) =>
    args.every(
      ({ text, dynamic, glob }, index) =>
        isMessage(args[index - 1]) || !(dynamic || glob || never.test(text)),
    )

/** What follows is a text of the person's own. */
const isMessage = (before: Word | undefined): boolean =>
  /^(?:-\w*m|--message|-F|--file)$/.test(before?.text ?? '')

const only =
  (allowed: RegExp): Leaves =>
  (args) =>
    args.every(({ text, dynamic }) => !dynamic && (!text.startsWith('-') || allowed.test(text)))

const first =
  (allowed: RegExp): Leaves =>
  ([action]) =>
    action === undefined || (!action.dynamic && allowed.test(action.text))

const both =
  (one: Leaves, other: Leaves): Leaves =>
  (args) =>
    one(args) && other(args)

/** Options of a list of commits that show no contents. */
const COMMITS =
  /^(?:-\d+|-n\d*|-i|-E|-F|-s|--|--(?:oneline|graph|all|stat|numstat|shortstat|summary|name-only|name-status|no-patch|decorate|no-decorate|abbrev-commit|no-abbrev-commit|reverse|merges|no-merges|first-parent|follow|topo-order|date-order|author-date-order|branches|tags|remotes|no-color|color|left-right|boundary|simplify-by-decoration|full-history|walk-reflogs|max-count|count|relative-date|no-walk|objects)|--(?:decorate|color|max-count|skip|since|after|until|before|author|committer|grep|date|format|pretty|abbrev|branches|tags|remotes|glob|stat|diff-filter|max-parents|min-parents)=.*)$/

const SUMMARY = /^--(?:stat|numstat|shortstat|summary|name-only|name-status|quiet|exit-code|no-patch)$|^-s$/

/** Only what was changed and how much, or nothing that a commit holds. */
const diff: Leaves = (args) => {
  const isShort = args.some(({ text }) => SUMMARY.test(text)) && only(COMMITS_OR_SUMMARY)(args)
  return isShort || (args.length > 0 && args.every(({ text }) => /^(?:--quiet|--exit-code)$/.test(text)))
}

const COMMITS_OR_SUMMARY = new RegExp(`${COMMITS.source}|^--(?:cached|staged|quiet|exit-code|merge-base)$`)

/** Nor a name for a folder of a commit, which could then be unpacked elsewhere. */
const noRaw: Leaves = without(/raw|contents|^--shell|^-v$|^--verify|^[0-9a-f]{4,64}$|[:{}]/)

/** A hash may stand for a folder or a file of its own, which then lands under another name. */
const checkout: Leaves = without(/^(?:[0-9a-f]{4,64}|-p|--patch|--(?:source|work)\S*|.*[:{}].*)$|^-s$/)

const joining: Leaves = without(/^(?:-X.*|-s|--strat.*|-x|--exec.*|-i|--interactive|-p|--show-.*)$/)

/** To a remote by its name: a folder elsewhere would hold a copy that nothing hides. */
const push: Leaves = (args) =>
  only(/^(?:-[unqfd]|--(?:set-upstream|tags|all|force\S*|dry-run|quiet|delete|follow-tags))$/)(args) &&
  !/[/:]/.test(args.find(({ text }) => !text.startsWith('-'))?.text ?? '')

const CALLS: ReadonlyMap<string, Leaves> = new Map<string, Leaves>([
  ...'remote rev-parse ls-files ls-tree describe merge-base name-rev show-ref show-branch cherry count-objects check-ignore check-attr version help rm mv clean shortlog gc prune'
    .split(' ')
    .map((name) => [name, always] as const),
  ['init', only(/^(?:-q|--quiet|-b|--initial-branch=.*|--bare)$/)],
  ['push', push],
  ['blame', without(/^--contents/)],
  ['status', without(/^-\w*v|^--verb/)],
  ['add', without(/^-\w*[pie]|^--(?:patch|interactive|edit)/)],
  ['commit', without(/^-\w*[vp]|^--(?:verb|patch|interactive)/)],
  ['log', only(COMMITS)],
  ['rev-list', only(COMMITS)],
  ['reflog', only(COMMITS)],
  ['diff', diff],
  ['branch', noRaw],
  ['tag', noRaw],
  ['for-each-ref', noRaw],
  ['config', without(/^(?:alias|include)/i)],
  ['switch', checkout],
  ['checkout', checkout],
  ['restore', checkout],
  ['reset', checkout],
  ['merge', joining],
  ['rebase', joining],
  ['revert', joining],
  ['cherry-pick', joining],
  [
    'stash',
    both(
      first(/^(?:list|push|pop|apply|drop|save|-[um]|--include-untracked)$/),
      without(/^-\w*[pU]|^--(?:patch|cc|unified)/),
    ),
  ],
  ['worktree', first(/^(?:list|remove|prune|lock|unlock)$/)],
  ['submodule', first(/^(?:status|summary|init|sync)$/)],
  ['cat-file', first(/^-[tse]$/)],
])
