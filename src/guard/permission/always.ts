/**
 * What "always" would mean for a command: prefixes that a person can understand, or nothing. Never for what cannot be
 * seen whole, is not understood, or runs something else.
 */
import type { Rule } from '../../protocol/guard.ts'
import { isClear, type Reading } from '../shell/judge.ts'
import { runners, wrappers } from '../shell/names.ts'
import { isAllowed } from '../shell/prefix.ts'
import type { Part } from '../shell/script.ts'

const MAX_LENGTH = 300

/** One rule for each part that needs one; `undefined` = it can only be allowed for once. */
export function alwaysFor({ text, script, findings }: Reading, tool: string): readonly Rule[] | undefined {
  if (text.length > MAX_LENGTH || !isClear(script) || script.parts.length === 0) return undefined
  const isKnown = (part: Part, index: number): boolean =>
    findings[index]?.kind !== 'unknown' || isScript(part.words.map((word) => word.text))
  if (!script.parts.every(isKnown) || script.parts.some(isDestructive)) return undefined
  const rules = script.parts.flatMap((part) => ruleFor(part, tool) ?? [])
  return rules.length === script.parts.length ? unique(rules) : undefined
}

function ruleFor(part: Part, tool: string): Rule | undefined {
  const words = part.words.map(({ text }) => text)
  const [name = ''] = words
  if (wrappers.has(name) || (runners.has(name) && !isScript(words))) return undefined
  const count = wordsToName(words) ?? Number.POSITIVE_INFINITY
  const named = words.slice(0, count)
  if (named.some((word) => word === '' || /\s/.test(word))) return undefined
  const pattern = named.join(' ')
  // A rule that would not even cover what it was made from is useless.
  if (!isAllowed(part, [pattern])) return undefined
  return { tool, pattern, verdict: 'allow', ...(count > words.length && { exact: true }) }
}

/** An interpreter with a file of the project: this very line, and nothing that begins like it. */
const isScript = ([name = '', file = '']: readonly string[]): boolean =>
  /^(?:node|nodejs|deno|bun|tsx|ts-node|python[23]?|pypy3?|ruby|perl|php|lua|Rscript)$/.test(name) &&
  /^(?!.*\.\.)[\w][\w./-]*\.\w+$/.test(file)

/** What cannot be taken back is agreed to each time. */
export function isDestructive({ words }: Part): boolean {
  const [name = '', ...args] = words.map(({ text }) => text)
  if (IRREVERSIBLE.has(name)) return true
  if (name === 'git') return DESTROYING_GIT.test(args.join(' '))
  const isDeep =
    /^(?:rm|chmod|chown|chgrp)$/.test(name) && args.some((text) => /^-\w*[rRf]|^--(?:rec|for)/.test(text))
  return isDeep && args.some((text) => /^(?:[/~]|\.{1,2}(?:\/|$)|.*\.\.)|[*?[]/.test(text))
}

const DESTROYING_GIT =
  /^(?:.* )?(?:push .*(?:--force|-\w*f|--delete|-d\b|--mirror|--prune| [+:])|reset .*--hard|clean .*-\w*f|checkout (?:.* )?(?:--|\.)(?: |$)|restore |branch .*-D|stash (?:drop|clear)|reflog (?:expire|delete)|gc .*--prune|filter-branch)/

/** How many words say what a command of this program is about; none = only the whole command does. */
function wordsToName([name = '', action = '', object = '']: readonly string[]): number | undefined {
  if (BY_NAME.has(name)) return 1
  if (!BY_ACTION.has(name) || action.startsWith('-')) return undefined
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name) && action === 'run') return object === '' ? undefined : 3
  return RISKY.test(action) ? undefined : 2
}

/** What these do depends on the rest of the line. */
const RISKY =
  /^(?:i|install|add|get|update|upgrade|remove|rm|uninstall|publish|push|exec|x|dlx|run|create|init|link|login|config|set|reset|clean|rebase|checkout|switch|restore|merge|tag|branch|remote|deploy|release)$/

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const IRREVERSIBLE = set(
  'dd shred mkfs truncate kill pkill killall shutdown reboot halt poweroff wipefs fdisk parted',
)

const BY_ACTION =
  set(`npm pnpm yarn bun cargo go git pip pip3 poetry uv bundle gem mvn gradle dotnet swift mix make just task
  composer gh turbo nx`)

const BY_NAME =
  set(`ls cat head tail wc grep egrep rg find sort uniq cut tr diff stat du df pwd echo which file tree jq
  pytest tox nox jest vitest mocha ava tsc eslint prettier biome oxlint ruff black isort mypy flake8 pylint rspec phpunit
  ctest`)

const unique = (rules: readonly Rule[]): readonly Rule[] =>
  rules.filter((rule, index) => rules.findIndex((other) => other.pattern === rule.pattern) === index)
