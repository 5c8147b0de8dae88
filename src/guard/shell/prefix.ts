/**
 * Prefixes of commands, as people write them in rules. Allowing is strict: the very words, and behind them nothing that
 * writes or runs. Denying is generous: another spelling, folder or case, options in between, behind a wrapper or inside a
 * text that a shell would run is still the denied command.
 */
import { protectionOf } from '../paths/protected-names.ts'
import { actors, runners, wrappers } from './names.ts'
import { hasOptionList, judgeProgram } from './programs.ts'
import type { Part } from './script.ts'
import type { Word } from './word.ts'

const splitPrefix = (prefix: string): readonly string[] => prefix.trim().split(/\s+/).filter(Boolean)

/** Whether one of the prefixes stands for this command and everything in it. */
export function isAllowed(part: Part, prefixes: readonly string[]): boolean {
  const [name] = part.words
  if (!name?.plain || part.hasAssignment || wrappers.has(programName(name.text))) return false
  if (part.words.some(({ dynamic, text }) => dynamic || isSensitive(text))) return false
  return prefixes.map(splitPrefix).some((prefix) => covers(prefix, part.words))
}

function covers(prefix: readonly string[], words: readonly Word[]): boolean {
  const [name = '', action = '-'] = prefix
  if (prefix.length === 0 || !prefix.every((word, index) => words[index]?.text === word)) return false
  const rest = words.slice(prefix.length)
  if (rest.length === 0 || judgeProgram(name, words.slice(1)).kind === 'read-only') return true
  if ((runners.has(name) || actors.has(name)) && action.startsWith('-')) return false
  if (name === 'tar' && TAR_RUNS.test(rest[0]?.text ?? '')) return false
  // The rule itself must be for something that writes; otherwise an option made a writer out of a reader.
  const meant = judgeProgram(name, words.slice(1, prefix.length)).kind
  const isMeant = meant === 'write' || (meant === 'unknown' && !hasOptionList(name))
  return isMeant && rest.every(isHarmless)
}

/** The first word of tar is options without a dash; these letters run a program. */
const TAR_RUNS = /^\w*[IF]/

/** Options that change what is shown or how much is done, never what is run or written. */
const HARMLESS_OPTION =
  /^(?:-[vqsxhkntalm1-9]+|--(?:run|verbose|quiet|silent|help|version|colou?rs?|no-colou?rs?|coverage|bail|ci|all|release|debug|jobs|parallel|maxfail|tb|lf|ff|last-failed|failed-first|exitfirst|durations|passWithNoTests|testNamePattern|grep|filter|timeout|offline|locked|frozen|frozen-lockfile|if-present|workspaces|no-audit|no-fund|check|dry-run|list|stat|json|noEmit|features|all-targets|all-features|lib|bins|tests|nocapture|test-threads|short|race|count|message|allow-empty|amend|no-edit|signoff|cached|parents)(?:=[^/]*)?|--|-)$/

const isHarmless = ({ text, loose }: Word): boolean =>
  !loose && (text.startsWith('-') ? HARMLESS_OPTION.test(text) : !/^(?:\w+=|[+!@|])/.test(text))

/** Places whose content no rule for a reader was meant to give away. */
function isSensitive(text: string): boolean {
  const path = text.replace(/^-{1,2}[\w-]+=/, '').replace(/^@/, '')
  if (/^file:/i.test(path)) return true
  return /^\/(?:proc|sys|dev|etc|root|run|boot)\b/.test(path)
    ? path !== '/dev/null'
    : protectionOf(path) === 'secret'
}

const SYSTEM_FOLDER = /^\/(?:usr\/)?(?:local\/)?s?bin\//

/** The name a program is known by: a folder of the system in front of it changes nothing. */
export const programName = (text: string): string => text.replace(SYSTEM_FOLDER, '')

/** The prefix this part falls under, wherever in it. */
export function denyingPrefix(part: Part, prefixes: readonly string[]): string | undefined {
  return prefixes.find((prefix) => {
    const words = splitPrefix(prefix).map((word) => word.toLowerCase())
    return words.length > 0 && startsOf(part).some((start) => matches(words, part.words.slice(start)))
  })
}

/** Where a command may begin: at the front, and anywhere behind what runs other programs. */
function startsOf(part: Part): readonly number[] {
  const isFind = baseName(part.words[0]?.text ?? '') === 'find'
  const isOpen = runsOthers(part)
  return part.words.flatMap((_, index) => {
    const isNested = isFind && /^-(?:exec|ok)(?:dir)?$/.test(part.words[index - 1]?.text ?? '')
    return index === 0 || isNested || isOpen ? [index] : []
  })
}

/** Among its arguments there may be commands. */
export function runsOthers({ words }: Part): boolean {
  const [name, action] = words
  if (!name || name.dynamic) return true
  const base = baseName(name.text)
  if (base === 'git') return GIT_RUNS.test(action?.text ?? '')
  return wrappers.has(base) || runners.has(base)
}

/** Subcommands that run what they are given, and options in front that set what git runs. */
const GIT_RUNS = /^(?:-.*|bisect|submodule|rebase|filter-branch|difftool|mergetool|for-each-repo|config)$/

const baseName = (text: string): string => text.slice(text.lastIndexOf('/') + 1).toLowerCase()

function matches(prefix: readonly string[], words: readonly Word[]): boolean {
  const [program = '', ...wanted] = prefix
  const [name, ...args] = words
  if (!name || !couldBe(name, program)) return false
  const options = args.filter(({ text }) => text.startsWith('-')).map(({ text }) => text.toLowerCase())
  const plain = wanted.filter((word) => !word.startsWith('-'))
  return (
    wanted.filter((word) => word.startsWith('-')).every((word) => hasOption(word, options)) &&
    leads(plain, args)
  )
}

/** A wildcard or an expansion in the name counts as whatever it may become. */
function couldBe({ text, dynamic }: Word, program: string): boolean {
  const name = baseName(text)
  if (name === program || (dynamic && name.startsWith(program))) return true
  if (!/[*?[]/.test(name)) return false
  const pattern = name.replaceAll(/\[[^\]]*\]|\?/g, '\0').replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${pattern.replaceAll('\0', '.').replaceAll(/\*+/g, '.*')}$`).test(program)
}

/** `-rf` is there when `-r` and `-f` are, in either spelling. */
function hasOption(option: string, options: readonly string[]): boolean {
  if (options.includes(option)) return true
  if (option.startsWith('--')) return options.some((given) => given.startsWith(`${option}=`))
  const letters = options.map((given) => (given.startsWith('--') ? letterOf(given) : given)).join('')
  return Array.from(option.slice(1)).every((letter) => letters.includes(letter))
}

/** Of the two that rules are written about; programs take a long name cut short, too. */
function letterOf(option: string): string {
  if (option.length < 3) return ''
  if ('--recursive'.startsWith(option)) return 'r'
  return '--force'.startsWith(option) ? 'f' : ''
}

/** The wanted words come first, options and their values aside. */
function leads(wanted: readonly string[], args: readonly Word[]): boolean {
  let found = 0
  for (const [index, { text }] of args.entries()) {
    if (found === wanted.length) return true
    if (text.toLowerCase() === wanted[found]) found++
    else if (!text.startsWith('-') && !args[index - 1]?.text.startsWith('-')) return false
  }
  return found === wanted.length
}

/** For text that could not be read as a command: the words of a prefix one after the other, quotes and escapes aside. */
export function denyingText(text: string, prefixes: readonly string[]): string | undefined {
  const plain = text.replaceAll(/["'\\]/g, '')
  return prefixes.find((prefix) => {
    const words = splitPrefix(prefix).map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    const pattern = `(?:^|[${BETWEEN}/])${words.join(`[${BETWEEN}]+`)}(?:$|[${BETWEEN}])`
    return words.length > 0 && new RegExp(pattern, 'i').test(plain)
  })
}

/** What may stand between two words, for a class of characters. */
const BETWEEN = '\\s;|&()<>{}`$=,'
