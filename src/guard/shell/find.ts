/** The expression of `find`: tests, printing and pruning are known; what acts on what was found is not. */
import { matchesGlob } from '../../lib/path.ts'
import type { Word } from './word.ts'

const ALONE = new Set(
  `-H -L -P -O0 -O1 -O2 -O3 -depth -d -mount -xdev -follow -daystart -noleaf -ignore_readdir_race -warn -nowarn -empty
  -readable -writable -executable -nouser -nogroup -print -print0 -ls -prune -quit -true -false -not -a -and -o -or ! ( ) ,
  --help --version -help -version`.split(/\s+/),
)

const WITH_VALUE = new Set(
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime
  -atime -ctime -mmin -amin -cmin -used -newer -anewer -cnewer -user -group -uid -gid -perm -links -inum -samefile -fstype
  -maxdepth -mindepth -printf`.split(/\s+/),
)

const WRITES = /^-(?:delete|fprint0?|fprintf|fls)$/
const RUNS = /^-(?:exec|execdir|ok|okdir)$/

/** Whether a file may be named like an action and fit the wildcard. */
const couldAct = (wildcard: string): boolean =>
  wildcard.includes('[') || ACTIONS.some((action) => matchesGlob(action, wildcard))

const ACTIONS = '-delete -fprint -fprint0 -fprintf -fls -exec -execdir -ok -okdir'.split(' ')

export type FindFinding = {
  readonly kind: 'read-only' | 'write' | 'unknown'
  /** The commands it would run. */
  readonly nested: readonly (readonly Word[])[]
}

export function judgeFind(args: readonly Word[]): FindFinding {
  const nested: (readonly Word[])[] = []
  let kind: FindFinding['kind'] = 'read-only'
  const worsen = (to: FindFinding['kind']): void => void (kind = kind === 'write' ? kind : to)
  for (let index = 0; index < args.length; index++) {
    const text = args[index]?.text ?? ''
    if (RUNS.test(text)) {
      const end = args.findIndex((word, at) => at > index && (word.text === ';' || word.text === '+'))
      nested.push(args.slice(index + 1, end < 0 ? undefined : end))
      index = end < 0 ? args.length : end
      worsen('unknown')
    } else if (WRITES.test(text)) worsen('write')
    else if (WITH_VALUE.has(text) || /^-newer[aBcm][aBcmt]$/.test(text)) {
      // A value that looks like another action was perhaps meant as one; a wildcard may become one.
      const value = args[++index]
      if (/^-\D/.test(value?.text ?? '-x') || (value?.loose && couldAct(value.text))) worsen('unknown')
    } else if (args[index]?.loose || (text.startsWith('-') && !ALONE.has(text))) worsen('unknown')
  }
  return { kind, nested }
}
