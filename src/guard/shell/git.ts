/**
 * Git, subcommand by subcommand: those that only look, with the options that only look. Anything in front of the
 * subcommand (`-c`, `-C`, `--git-dir`, …) can change what git runs, so nothing is known then.
 */
import { type OptionSpec, scanOptions } from './options.ts'
import type { Word } from './word.ts'

export type GitFinding = { readonly kind: 'read-only' | 'write' | 'unknown'; readonly why: string }

export function judgeGit(args: readonly Word[]): GitFinding {
  const [first, ...rest] = args
  if (!first) return doubt('git alone')
  if (first.text === '--version' || first.text === 'version') return READS
  if (first.text.startsWith('-')) return doubt(`git ${first.text} may change what git runs`)
  const name = first.text
  const read = readers.get(name)
  if (read && !first.dynamic) return read(rest, name)
  return WRITERS.has(name)
    ? { kind: 'write', why: `git ${name} changes the repository` }
    : doubt(`git ${name} is not known to only read`)
}

const READS: GitFinding = { kind: 'read-only', why: 'it only reads' }
const doubt = (why: string): GitFinding => ({ kind: 'unknown', why })

type Reader = (rest: readonly Word[], name: string) => GitFinding

const WRITERS = new Set(
  `add am apply bisect branch checkout checkout-index cherry-pick clean clone commit commit-tree config fast-import fetch
  filter-branch format-patch gc init maintenance merge mv notes prune pull push read-tree rebase reflog remote repack replace
  reset restore revert rm sparse-checkout stash submodule svn switch symbolic-ref tag update-index update-ref worktree
  write-tree`.split(/\s+/),
)

const COMMIT_LIST = `all branches tags remotes glob= exclude= not max-count= skip= since= after= until= before= author=
  committer= grep= all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp merges no-merges
  min-parents= max-parents= first-parent reverse topo-order date-order author-date-order graph no-graph oneline pretty
  format= abbrev-commit no-abbrev-commit abbrev date= relative-date decorate no-decorate decorate-refs= follow no-walk
  left-right cherry-pick cherry-mark boundary simplify-by-decoration full-history ancestry-path source mailmap use-mailmap
  children parents walk-reflogs merge-base count left-only right-only no-notes notes show-pulls`
const DIFF = `patch no-patch unified= stat numstat shortstat dirstat summary name-only name-status raw compact-summary
  cached staged merge-base color no-color color-words word-diff word-diff-regex= minimal patience histogram
  diff-algorithm= ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol
  function-context inter-hunk-context= find-renames find-copies find-copies-harder no-renames diff-filter= pickaxe-all
  pickaxe-regex relative no-relative text binary full-index src-prefix= dst-prefix= no-prefix exit-code quiet check
  no-ext-diff no-textconv ignore-submodules submodule color-moved no-index line-prefix= patch-with-stat anchored= cc
  combined-all-paths no-indent-heuristic indent-heuristic ws-error-highlight=`

const lookSpec: OptionSpec = {
  flags: 'abcgimpqrstuwzEFPRW',
  values: 'nSGLU',
  long: `${COMMIT_LIST} ${DIFF}`,
  numbers: true,
}

const look: Reader = (rest, name) =>
  // Asking for a signature in a format runs the configured checker.
  rest.some(({ text }) => text.includes('%G')) ? doubt('%G runs a program') : judged(rest, lookSpec, name)

/** Letters whose value is glued on, never in the next word. */
const GLUED = /^-[MC]\d*%?$|^-U\d+$|^-u(?:no|normal|all)$|^-n\d+$/

function judged(rest: readonly Word[], spec: OptionSpec, name: string): GitFinding {
  const scan = scanOptions(
    rest.filter(({ text }) => !GLUED.test(text)),
    spec,
  )
  return scan.ok ? READS : doubt(`git ${name} ${scan.option} is not known to only read`)
}

const plain =
  (spec: OptionSpec): Reader =>
  (rest, name) =>
    judged(rest, spec, name)

/** Lists when nothing is named, or when an option says that names are patterns; otherwise it makes or moves one. */
const listing =
  (spec: OptionSpec, lists: RegExp): Reader =>
  (rest, name) => {
    const scan = scanOptions(rest, spec)
    if (!scan.ok) return { kind: 'write', why: `git ${name} ${scan.option} may change the repository` }
    const isList = scan.operands.length === 0 || scan.options.some((option) => lists.test(option))
    return isList ? READS : { kind: 'write', why: `git ${name} changes the repository` }
  }

/** Reads only with one of these words first. */
const only =
  (...names: readonly string[]): Reader =>
  (rest, name) => {
    const [action, ...others] = rest
    if (!action || !names.includes(action.text))
      return doubt(`git ${name} ${action?.text ?? ''} is not known to only read`)
    return look(others, `${name} ${action.text}`)
  }

const CONFIG_READ = /^--(?:get|get-all|get-regexp|list)$|^-l$/

const config: Reader = (rest, name) => {
  const long =
    'get get-all get-regexp list global local system worktree show-origin show-scope name-only null type='
  const scan = scanOptions(rest, { flags: 'lz', long })
  if (!scan.ok || scan.operands.length > 2 || rest.some(({ glob }) => glob))
    return doubt(`git ${name} may change the configuration`)
  // A name alone asks for its value; a name and a value set it.
  const [first = '', ...others] = scan.operands
  const asks = scan.options.some((option) => CONFIG_READ.test(option)) || first === 'get'
  const names = others.length === 0 && /^\w[\w-]*\..+$/.test(first)
  return asks || names ? READS : doubt(`git ${name} may change the configuration`)
}

const remote: Reader = (rest) => {
  const words = rest.map(({ text }) => text)
  if (words.every((word) => word === '-v' || word === '--verbose')) return READS
  return words[0] === 'get-url' && words.length === 2 && !words[1]?.startsWith('-')
    ? READS
    : doubt('git remote may write')
}

const readers = new Map<string, Reader>([
  ...[
    'log',
    'diff',
    'show',
    'whatchanged',
    'shortlog',
    'rev-list',
    'diff-tree',
    'diff-index',
    'diff-files',
  ].map((name) => [name, look] as const),
  [
    'status',
    plain({
      flags: 'sbvuz',
      long: 'short branch porcelain long verbose untracked-files ignored ignore-submodules show-stash ahead-behind no-ahead-behind renames no-renames find-renames column no-column',
    }),
  ],
  [
    'branch',
    listing(
      {
        flags: 'arvilq',
        long: 'all remotes verbose list show-current merged no-merged contains no-contains points-at= sort= format= color no-color column no-column ignore-case abbrev',
      },
      /^--(?:list|merged|no-merged|contains|no-contains|points-at)$/,
    ),
  ],
  [
    'tag',
    listing(
      {
        flags: 'lin',
        long: 'list merged no-merged contains no-contains points-at= sort= format= column no-column ignore-case',
        numbers: true,
      },
      /^-[ln]$|^--(?:list|merged|no-merged|contains|no-contains|points-at)$/,
    ),
  ],
  [
    'blame',
    plain({
      flags: 'bcefhlnpstwMC',
      values: 'LS',
      long: 'line-porcelain porcelain show-name show-number show-email show-stats root date= since= ignore-rev= abbrev',
    }),
  ],
  [
    'grep',
    plain({
      flags: 'aiIwvhHEGFPnlLzoqcpW',
      values: 'efABCm',
      long: 'cached no-index untracked text ignore-case word-regexp invert-match line-number column name-only files-with-matches files-without-match count all-match extended-regexp fixed-strings perl-regexp basic-regexp only-matching quiet heading break show-function function-context context= after-context= before-context= max-depth= max-count= color no-color and or not',
      numbers: true,
    }),
  ],
  [
    'ls-files',
    plain({
      flags: 'cdmosiutvzkf',
      values: 'xX',
      long: 'cached deleted modified others stage ignored unmerged killed directory exclude= exclude-standard exclude-per-directory= full-name recurse-submodules abbrev error-unmatch deduplicate eol',
    }),
  ],
  [
    'ls-tree',
    plain({
      flags: 'drtlz',
      long: 'name-only name-status long full-name full-tree abbrev object-only format=',
    }),
  ],
  ['cat-file', plain({ flags: 'petsz', long: 'batch-check allow-unknown-type' })],
  [
    'rev-parse',
    plain({
      flags: 'q',
      long: 'verify quiet short abbrev-ref symbolic symbolic-full-name show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository all branches tags remotes show-superproject-working-tree path-format= sq-quote local-env-vars since= until=',
    }),
  ],
  [
    'describe',
    plain({
      long: 'all tags contains abbrev candidates= exact-match always first-parent long match= exclude= dirty broken debug',
    }),
  ],
  ['merge-base', plain({ flags: 'a', long: 'all octopus independent is-ancestor fork-point' })],
  ['name-rev', plain({ long: 'tags refs= exclude= all name-only no-undefined always' })],
  [
    'show-ref',
    plain({ flags: 'dhsq', long: 'head heads branches tags dereference hash verify quiet abbrev' }),
  ],
  [
    'for-each-ref',
    plain({ long: 'count= sort= format= points-at= merged no-merged contains no-contains ignore-case' }),
  ],
  ['show-branch', plain({ flags: 'ar', long: 'all remotes current list topics' })],
  ['cherry', plain({ flags: 'v', long: 'abbrev' })],
  ['count-objects', plain({ flags: 'vH', long: 'verbose human-readable' })],
  ['check-ignore', plain({ flags: 'qvzn', long: 'quiet verbose no-index non-matching' })],
  ['range-diff', look],
  ['shortlog', plain({ flags: 'snec', long: `${COMMIT_LIST} summary numbered email` })],
  ['config', config],
  ['remote', remote],
  ['stash', only('list', 'show')],
  ['worktree', only('list')],
  ['notes', only('list', 'show')],
  [
    'reflog',
    (rest, name) =>
      rest.length === 0 || rest[0]?.text === 'show'
        ? look(rest.slice(1), name)
        : doubt('git reflog may write'),
  ],
])
