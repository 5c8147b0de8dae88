/**
 * What a rule that closes paths means for git's history: commands see it only if all of them is git at work that leaves
 * closed contents alone, or a person said yes.
 */
import { lstatSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Rule } from '../../protocol/guard.ts'
import type { ExecResult } from '../../protocol/tool.ts'
import { readScript } from '../shell/script.ts'
import type { Terms } from '../sandbox/ground.ts'
import { type IsOpen, leavesContents } from '../shell/git-history.ts'
import { closingPath, createDenies } from './denied-paths.ts'

export type ClosedHistory = { readonly rule: Rule; readonly isOpen: IsOpen }

export function closedHistory(rules: readonly Rule[], root: string): { readonly history?: ClosedHistory } {
  const rule = closingPath(rules, 'run_command')
  return rule ? { history: { rule, isOpen: createIsOpen(rules, root) } } : {}
}

/** For the sandbox: which paths are left out, and whether git's history is. */
export const closedPaths = (rules: readonly Rule[], root: string) => ({
  denies: createDenies(rules, root),
  hidesHistory: closingPath(rules, 'run_command') !== undefined,
})

export function createIsOpen(rules: readonly Rule[], root: string): IsOpen {
  const denies = createDenies(rules, root)
  return (path) => {
    if (/^[:/-]|(?:^|\/)\.\.?(?:\/|$)/.test(path) || denies(path)) return false
    const place = join(root, path)
    return (lstatSync(place, { throwIfNoEntry: false })?.isFile() ?? false) && realpathSync(place) === place
  }
}

/** Adds to the terms of a command whether it sees the history. */
export const historyTerms =
  (history: ClosedHistory | undefined) =>
  async (command: string, terms: Terms = {}): Promise<Terms> => {
    const leaves = async (): Promise<boolean> =>
      history !== undefined && leavesContents(await readScript(command), history.isOpen)
    return { ...terms, showsHistory: terms.showsHistory ?? (await leaves()) }
  }

/** The output of a command that failed for want of the history, with the reason. */
export function explainHidden(
  { exitCode, output, timedOut }: ExecResult,
  history: ClosedHistory | undefined,
): string | undefined {
  if (!history || timedOut || exitCode === 0 || !MISSED.test(output.slice(-SEARCHED))) return undefined
  const name = [history.rule.tool, history.rule.pattern].filter(Boolean).join(' ')
  return `${output.trimEnd()}\n[sandbox: git's history is hidden from this command, because the rule "${name}" denies files that it may hold; run git commands such as status, add or commit in a call of their own]`
}

const SEARCHED = 16 * 1024

const MISSED =
  /\.git\b|bad object|unable to read|not a git repository|not a valid object|invalid object|ambiguous argument|bad revision|does not have any commits|unknown revision|could not (?:parse|read) |insufficient permission/i
