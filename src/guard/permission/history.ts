/**
 * What a rule that closes paths means for git's history: commands see it only if all of them is git at work that leaves
 * closed contents alone, or a person said yes.
 */
import { AppError } from '../../protocol/error.ts'
import type { Rule } from '../../protocol/guard.ts'
import type { ExecResult } from '../../protocol/tool.ts'
import type { Terms } from '../sandbox/context.ts'
import type { OpenPaths } from '../shell/git-folder.ts'
import { leavesContents } from '../shell/git-history.ts'
import { readScript } from '../shell/script.ts'
import { callsApart } from './apart.ts'
import { closingPath, createDenies } from './denied-paths.ts'
import { createOpenPaths } from './open-paths.ts'

export type ClosedHistory = { readonly rule: Rule; readonly paths: OpenPaths }

export function closedHistory(rules: readonly Rule[], root: string): { readonly history?: ClosedHistory } {
  const rule = closingPath(rules, 'run_command')
  return rule ? { history: { rule, paths: createOpenPaths(rules, root) } } : {}
}

/** For the sandbox: which paths are left out, and whether git's history is. */
export const closedPaths = (rules: readonly Rule[], root: string) => ({
  denies: createDenies(rules, root),
  hidesHistory: closingPath(rules, 'run_command') !== undefined,
})

/** Adds to the terms of a command whether it sees the history, and of which repository. */
export const historyTerms =
  (history: ClosedHistory | undefined) =>
  async (command: string, terms: Terms = {}): Promise<Terms> => {
    if (!history || terms.showsHistory !== undefined) return terms
    const sight = leavesContents(await readScript(command), history.paths)
    if (sight) {
      const { repository, isKept } = sight
      return { ...terms, showsHistory: true, keepsRepository: isKept, ...(repository && { repository }) }
    }
    const calls = await callsApart(command, history.paths)
    if (calls) throw new AppError('tool-failed', `${hiddenBy(history)} Nothing was run. ${numbered(calls)}`)
    return { ...terms, showsHistory: false }
  }

const hiddenBy = ({ rule }: ClosedHistory): string =>
  `git's history is hidden from programs that run beside git, because the rule "${nameOf(rule)}" denies files that it may hold.`

const nameOf = ({ tool, pattern }: Rule): string => [tool, pattern].filter(Boolean).join(' ')

const numbered = (calls: readonly string[]): string =>
  `Make these calls one after the other: ${calls.map((call, index) => `${index + 1}. ${call}`).join('  ')}`

/** The output of a command that failed for want of the history, with the reason. */
export function explainHidden(
  { exitCode, output, timedOut }: ExecResult,
  history: ClosedHistory | undefined,
): string | undefined {
  if (!history || timedOut || exitCode === 0 || !MISSED.test(output.slice(-SEARCHED))) return undefined
  return `${output.trimEnd()}\n[sandbox: git's history is hidden from this command, because the rule "${nameOf(history.rule)}" denies files that it may hold; run git commands such as status, add or commit in a call of their own]`
}

const SEARCHED = 16 * 1024

const MISSED =
  /\.git\b|bad object|unable to read|not a git repository|not a valid object|invalid object|ambiguous argument|bad revision|does not have any commits|unknown revision|could not (?:parse|read) |insufficient permission/i
