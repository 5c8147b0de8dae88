/**
 * Whether a rule fits what a call would touch. Pure. Allowing takes the exact thing; asking and denying take every
 * spelling of it: other case, links, folders above, a command inside a command.
 */
import { relative, resolve } from 'node:path'
import type { Rule, Verdict } from '../../protocol/guard.ts'
import { isInside, matchesGlob, toPosix } from '../../lib/path.ts'
import type { Operation } from './grants.ts'
import { decide, isClear, type Reading } from '../shell/judge.ts'
import { closedPath, closes, fold, toPattern } from './denied-paths.ts'
import { namedPaths, type Surroundings } from './named-paths.ts'
import { denyingText, isAllowed } from '../shell/prefix.ts'

export const rulesFor = (tool: string, rules: readonly Rule[]): readonly Rule[] =>
  rules.filter((rule) => matchesGlob(tool, rule.tool))

/** Whether a rule forbids everything the tool does: then no call of it can pass. */
export const isForbidden = (tool: string, rules: readonly Rule[]): boolean =>
  rulesFor(tool, rules).some((rule) => rule.verdict === 'deny' && isForAll(rule))

const patternsOf = (rules: readonly Rule[], verdict: Verdict): readonly Rule[] =>
  rules.filter((rule) => rule.verdict === verdict)

const isForAll = ({ pattern }: Rule): boolean => pattern === undefined || pattern === '*' || pattern === '**'

/** A path as it was written and as it really is, so that neither a link nor `..` hides what a rule names. */
export type PathNames = readonly string[]

/** Relative to the root they lie in; absolute outside. */
export function pathNames(written: string, real: string | undefined, roots: readonly string[]): PathNames {
  const paths = [resolve(roots[0] ?? '/', written), ...(real === undefined ? [] : [real])]
  const names = paths.map((path) => {
    const holder = roots.find((folder) => isInside(folder, path))
    return toPosix(holder === undefined ? path : relative(holder, path)) || '.'
  })
  return [...new Set(names)]
}

/** A path under all its names, and the root that relative ones count from. */
export type PlacedNames = { readonly names: PathNames; readonly root: string }

/** The rule that closes a path to every tool that reads or writes, for code that opens files. */
export function closingRule(
  placed: PlacedNames,
  operation: Operation,
  rules: readonly Rule[],
): Rule | undefined {
  const own = rulesFor(operation === 'read' ? 'read_file' : 'write_file', rules)
  return patternsOf(own, 'deny').find((rule) => !isForAll(rule) && touches(rule, placed))
}

/** The rule that decides, the strictest first; `undefined` = none fits. */
export function pathRule(placed: PlacedNames, rules: readonly Rule[]): Rule | undefined {
  const { names } = placed
  return (
    patternsOf(rules, 'deny').find((rule) => touches(rule, placed)) ??
    patternsOf(rules, 'ask').find((rule) => touches(rule, placed)) ??
    patternsOf(rules, 'allow').find((rule) => isForAll(rule) || names.every((name) => fits(name, rule)))
  )
}

const fits = (name: string, { pattern = '', exact }: Rule): boolean =>
  exact ? name === pattern : fitsPath(name, pattern)

function touches(rule: Rule, { names, root }: PlacedNames): boolean {
  const pattern = toPattern(rule.pattern ?? '', root)
  return isForAll(rule) || names.some((name) => closes(pattern, fold(name)))
}

/** A pattern for a folder holds for everything in it. */
function fitsPath(name: string, pattern: string): boolean {
  const plain = pattern.replace(/^\.\//, '').replace(/\/+$/, '')
  return plain !== '' && (matchesGlob(name, plain) || matchesGlob(name, `${plain}/**`))
}

/** Without a scheme a pattern names a host and everything below it; a star stands for anything. */
export function urlRule(url: string, rules: readonly Rule[]): Rule | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const fits = (rule: Rule): boolean =>
    isForAll(rule) || (parsed !== undefined && fitsUrl(parsed, rule.pattern ?? ''))
  const strict = (['deny', 'ask'] as const).flatMap((verdict) => patternsOf(rules, verdict)).find(fits)
  return strict ?? patternsOf(rules, 'allow').find(fits)
}

function fitsUrl({ href, hostname }: URL, pattern: string): boolean {
  if (pattern.includes('://')) return fitsText(href, pattern)
  const host = hostname.replace(/\.$/, '')
  return fitsText(host, pattern) || fitsText(host, `*.${pattern}`)
}

const fitsText = (text: string, pattern: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\*+/g, '.*')}$`, 'is').test(
    text,
  )

export type CommandFacts = {
  readonly reading: Reading
  readonly sandboxed: boolean
  /** The project and the home folder, for paths a command names. */
  readonly place: Surroundings
}

export function commandRule(facts: CommandFacts, rules: readonly Rule[]): Rule | undefined {
  const { reading, sandboxed, place } = facts
  for (const verdict of ['deny', 'ask'] as const) {
    const found = patternsOf(rules, verdict).find((rule) => meets(rule, reading, place))
    if (found) return found
  }
  const allowing = patternsOf(rules, 'allow')
  const all = allowing.find(isForAll)
  if (all) return all
  return isCovered(reading, { allowing, sandboxed }) ? allowing[0] : undefined
}

/**
 * Code in another language than the shell's is not understood. It is denied and asked for by every word in it, and
 * allowed only by a rule for everything the tool does.
 */
export function codeRule(code: string, rules: readonly Rule[]): Rule | undefined {
  const words = code.toLowerCase().split(/[\s'"`()[\]{},;=+]+/)
  const plain = code.replaceAll(/[[\]]/g, ' ')
  const names = (rule: Rule): boolean => {
    const { pattern = '' } = rule
    const isPath = /[/.*]/.test(pattern) && words.some((word) => fitsPath(word, pattern.toLowerCase()))
    return isForAll(rule) || isPath || denyingText(plain, [pattern]) !== undefined
  }
  const strict = (['deny', 'ask'] as const).flatMap((verdict) => patternsOf(rules, verdict)).find(names)
  return strict ?? patternsOf(rules, 'allow').find(isForAll)
}

/** The command is in there somewhere, or a path the pattern names. */
function meets(rule: Rule, reading: Reading, place: Surroundings): boolean {
  if (isForAll(rule)) return true
  const pattern = rule.pattern ?? ''
  if (decide(reading, { deny: [pattern] }).verdict === 'deny') return true
  const named = namedPaths([reading.script, ...reading.nested], place)
  return closedPath(pattern, named, place.cwd) !== undefined
}

/** The rule for commands that a command may fall under without anybody being able to read it beforehand. */
export const hiddenDeny = (reading: Reading, rules: readonly Rule[]): Rule | undefined =>
  reading.isUnreadable
    ? patternsOf(rules, 'deny').find(({ pattern = '' }) => /^[\w.-]+(?:\s|$)/.test(pattern))
    : undefined

type Allowing = { readonly allowing: readonly Rule[]; readonly sandboxed: boolean }

/** Every part is allowed by a rule; inside a sandbox those that only read need none. */
function isCovered({ script, findings }: Reading, { allowing, sandboxed }: Allowing): boolean {
  if (!isClear(script) || script.parts.length === 0) return false
  if (!sandboxed && script.parts.some(({ words }) => words[0]?.text === 'git')) return false
  const prefixes = allowing.flatMap(({ pattern, exact }) =>
    pattern !== undefined && !exact ? [pattern] : [],
  )
  const whole = new Set(
    allowing.flatMap(({ pattern, exact }) => (pattern !== undefined && exact ? [pattern] : [])),
  )
  const byRule = script.parts.map(
    (part) => isAllowed(part, prefixes) || (isAllowed(part, [...whole]) && whole.has(textOf(part.words))),
  )
  return (
    byRule.includes(true) &&
    byRule.every((isByRule, index) => isByRule || (sandboxed && findings[index]?.kind === 'read-only'))
  )
}

const textOf = (words: readonly { readonly text: string }[]): string =>
  words.map(({ text }) => text).join(' ')
