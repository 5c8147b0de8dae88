/**
 * Which calls of git leave the contents of files alone, as data: for each subcommand the options that are known to. Git
 * takes an option by any beginning that is unique, and short ones glued together, so only whole spellings are listed;
 * every other word that begins with a dash, or could become one, makes the call unknown.
 */
import type { Word } from './word.ts'

/** Whether a call with these arguments leaves the contents of files alone. */
type Leaves = (args: readonly Word[]) => boolean

export const leavesAlone = (name: string, args: readonly Word[]): boolean => CALLS.get(name)?.(args) ?? false

const always: Leaves = () => true

/** Behind `--` there are no options any more. */
const only =
  (allowed: RegExp): Leaves =>
  (args) => {
    const end = args.findIndex(({ text }) => text === '--')
    return args.every(({ text, dynamic, loose }, index) => {
      if (dynamic) return false
      if (end >= 0 && index > end) return true
      return !loose && (!text.startsWith('-') || allowed.test(text))
    })
  }

/** Where `-m` takes a text of the person's own: that may be anything, as long as it stays one word. */
const besideMessage =
  (leaves: Leaves): Leaves =>
  (args) => {
    const rest: Word[] = []
    for (let index = 0; index < args.length; index++) {
      const [word, next] = args.slice(index, index + 2)
      if (word) rest.push(word)
      if (word && TAKES_MESSAGE.test(word.text) && !word.dynamic && (!next?.dynamic || next.isOne)) index++
    }
    return leaves(rest)
  }

const TAKES_MESSAGE = /^(?:-[aqsnf]*m|--message)$/

const options = (short: string, long: string): RegExp =>
  new RegExp(`^(?:${short}|--(?:${long.trim().split(/\s+/).join('|')})|--)$`)

const first =
  (allowed: RegExp): Leaves =>
  ([action]) =>
    action === undefined || (!action.dynamic && !action.glob && allowed.test(action.text))

const all =
  (...each: readonly Leaves[]): Leaves =>
  (args) =>
    each.every((leaves) => leaves(args))

const none =
  (never: RegExp): Leaves =>
  (args) =>
    !args.some(({ text }) => never.test(text))

const noGlob: Leaves = (args) => !args.some(({ glob }) => glob)

/** Options of a list of commits that show no contents. */
const COMMITS =
  /^(?:-\d+|-n\d*|-i|-E|-F|-s|--|--(?:oneline|graph|all|stat|numstat|shortstat|summary|name-only|name-status|no-patch|decorate|no-decorate|abbrev-commit|no-abbrev-commit|reverse|merges|no-merges|first-parent|follow|topo-order|date-order|author-date-order|branches|tags|remotes|no-color|color|left-right|boundary|simplify-by-decoration|full-history|walk-reflogs|max-count|count|relative-date|no-walk|objects)|--(?:decorate|color|max-count|skip|since|after|until|before|author|committer|grep|date|format|pretty|abbrev|branches|tags|remotes|glob|stat|diff-filter|max-parents|min-parents)=.*)$/

const SUMMARY = /^--(?:stat|numstat|shortstat|summary|name-only|name-status|quiet|exit-code|no-patch)$|^-s$/

const COMMITS_OR_SUMMARY = new RegExp(`${COMMITS.source}|^--(?:cached|staged|quiet|exit-code|merge-base)$`)

/** Only what was changed and how much, or nothing that a commit holds. */
const diff: Leaves = (args) => {
  const isShort = args.some(({ text }) => SUMMARY.test(text)) && only(COMMITS_OR_SUMMARY)(args)
  return isShort || (args.length > 0 && args.every(({ text }) => /^(?:--quiet|--exit-code)$/.test(text)))
}

/** Names for an object that may be a folder or a file of its own, which then lands under another name. */
const noObject: Leaves = all(none(/(?:^|-g)[\da-f]{4,64}(?:[~^].*)?$|[:{}]/i), noGlob)

const checkout: Leaves = all(
  only(
    options(
      '-|-[bBqfctCdmSW23]+',
      `quiet force detach track no-track orphan ours theirs merge guess no-guess create force-create discard-changes
      overlay no-overlay progress no-progress hard soft mixed keep staged worktree recurse-submodules`,
    ),
  ),
  noObject,
)

/** Nothing that runs a program, opens an editor or puts a folder into another place. */
const joining = (short: string): Leaves =>
  all(
    only(
      options(
        short,
        `no-ff ff ff-only squash no-squash no-commit commit abort continue quit skip no-edit quiet stat no-stat
        message(?:=.*)? allow-unrelated-histories onto autostash no-autostash root signoff keep-base mainline no-verify`,
      ),
    ),
    noGlob,
  )

const MARKS =
  '(?:sort|format|points-at|contains|merged|no-merged|color|abbrev|count|track|set-upstream-to)=.*'

const LISTS = `all list remotes show-current delete move copy force track no-track merged no-merged contains no-contains
  verbose quiet unset-upstream no-color color column no-column ignore-case points-at annotate ${MARKS}`

const naming = (short: string): Leaves =>
  all(only(options(short, `${LISTS} message(?:=.*)?`)), none(/%\(\*?raw/), noObject)

const stash: Leaves = ([action, ...rest]) => {
  if (action === undefined) return true
  if (action.text === 'list') return only(COMMITS)(rest)
  if (action.text === 'show') return diff(rest)
  const isKnown = first(/^(?:push|pop|apply|drop|save|-.*)$/)([action])
  const listed = `include-untracked all quiet keep-index no-keep-index staged message(?:=.*)? index`
  return isKnown && besideMessage(only(options('-[uaqkS]+|-m.*', listed)))([action, ...rest])
}

/** To a remote by its name: a folder elsewhere would hold a copy that nothing hides. */
const push: Leaves = (args) =>
  only(/^(?:-[unqfd]|--(?:set-upstream|tags|all|force\S*|dry-run|quiet|delete|follow-tags))$/)(args) &&
  !/[/:]/.test(args.find(({ text }) => !text.startsWith('-'))?.text ?? '')

/** A message may come from the input; a file could be a link to an object. */
const commit: Leaves = besideMessage(
  (args) =>
    only(
      options(
        '-|-[aqsnoiz]+|-[aqsn]*m.*|-u(?:no|all|normal)?|-F',
        `all message(?:=.*)? file=- quiet amend no-edit allow-empty allow-empty-message signoff no-signoff no-verify
      no-gpg-sign dry-run short branch porcelain long reset-author only include null no-status
      (?:author|date|fixup|squash|trailer|cleanup)=.*`,
      ),
    )(args) && args.every(({ text }, index) => text !== '-F' || args[index + 1]?.text === '-'),
)

const BLAMED =
  'date=.* no-progress show-name show-number show-email abbrev=.* since=.* porcelain line-porcelain first-parent root'

const STATES = `short branch porcelain(?:=v?[12])? long show-stash ahead-behind no-ahead-behind untracked-files(?:=[a-z]+)?
  ignored(?:=[a-z]+)? no-renames renames null column no-column`

const CONFIGURED = `list get get-all get-regexp get-urlmatch global local show-origin show-scope name-only unset
  unset-all add replace-all null bool int type=.* default`

const CALLS: ReadonlyMap<string, Leaves> = new Map<string, Leaves>([
  ...'remote rev-parse ls-files ls-tree describe merge-base name-rev show-ref show-branch cherry count-objects check-ignore check-attr version help gc prune'
    .split(' ')
    .map((name) => [name, always] as const),
  ['init', all(only(/^(?:-q|--quiet|-b|--initial-branch=.*|--bare)$/), none(/(?:^|\/)\.git(?:\/|$)/i))],
  ['push', push],
  ['blame', all(only(options('-[wMCsecltfn]+|-L.*', BLAMED)), noGlob)],
  ['status', only(options('-[sbz]+|-u(?:no|all|normal)?', STATES))],
  ['add', only(options('-[AunvfN]+', 'all update force verbose dry-run intent-to-add no-all chmod=[+-]x'))],
  ['rm', only(options('-[rfqn]+', 'cached force dry-run quiet ignore-unmatch'))],
  ['mv', all(only(/^-[kvnf]+$/), noGlob)],
  ['clean', only(options('-[dfxXnq]+', 'dry-run force quiet'))],
  ['commit', commit],
  ['log', only(COMMITS)],
  ['rev-list', only(COMMITS)],
  ['reflog', only(COMMITS)],
  [
    'shortlog',
    only(options(String.raw`-[nsec]+|-\d+`, 'numbered summary email all no-merges (?:since|author)=.*')),
  ],
  ['diff', diff],
  ['branch', naming('-[avrdDmMcCfuq]+')],
  ['tag', besideMessage(naming(String.raw`-[aldf]+|-n\d*|-[af]*m.*`))],
  ['for-each-ref', naming('-q')],
  ['config', only(options('-l|-z', CONFIGURED))],
  ['switch', checkout],
  ['checkout', checkout],
  ['restore', checkout],
  ['reset', checkout],
  ['merge', besideMessage(joining('-[nq]+|-m.*'))],
  ['rebase', joining('-[nqf]+')],
  ['revert', joining(String.raw`-n|-m\d*`)],
  ['cherry-pick', joining(String.raw`-n|-m\d*`)],
  ['stash', stash],
  ['worktree', all(first(/^(?:list|remove|prune|lock|unlock)$/), only(/^(?:-[fvz]|--(?:force|porcelain))$/))],
  ['submodule', all(first(/^(?:status|summary|init|sync)$/), only(/^--(?:recursive|quiet|cached)$/))],
  ['cat-file', all(first(/^-[tse]$/), only(/^-[tse]$/))],
])
