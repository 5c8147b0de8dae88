/**
 * The command whose failure a prompt is about: one it names, or the one the project has for it. Only commands that look
 * and check; what deploys, installs or rewrites is never run before the model has said so. Pure.
 */
import { isCommand, namedCommands } from '../detectors/demanded.ts'
import { toSentences } from '../detectors/sentences.ts'

/** What the project has, by the names of files and the texts of those that say how it is checked. */
export type ProjectFacts = {
  has(path: string): boolean
  /** Empty where there is none. */
  text(path: string): string
}

/** The files `projectCommand` asks for. */
export const PROJECT_FILES = [
  'package.json',
  'Makefile',
  'pyproject.toml',
  'setup.cfg',
  'pytest.ini',
  'tox.ini',
  'conftest.py',
  'tests/conftest.py',
  'go.mod',
  'Cargo.toml',
  'tsconfig.json',
  'pnpm-lock.yaml',
  'yarn.lock',
] as const

export function failingCommand(prompt: string, project: ProjectFacts): string | undefined {
  if (FORBIDDEN.test(prompt)) return undefined
  const named = best(namedIn(prompt))
  return named ?? (WANTS_CHECK.test(asserted(prompt)) ? projectCommand(prompt, project) : undefined)
}

/** Without clauses, words and paths that name a failure and report none. */
const asserted = (prompt: string): string =>
  [CONDITIONAL, OTHER_FAILURES, PATHS].reduce((text, pattern) => text.replaceAll(pattern, ' '), prompt)

/** "If it fails ..." reports no failure; such a clause asks for nothing now. */
const CONDITIONAL = /\b(?:if|in case|unless|should (?:it|this|that|the|we|you|any\w*))\b[^,.;:!?\n]*/gi

const PATHS = /\S*\/\S*|\b[\w-]+\.\w{1,5}\b/g

/** Nothing is broken by these. */
const OTHER_FAILURES = /\bfail(?:s|ed|ing|ure)?[- ]?(?:over|back|safe|fast|open|closed|domain)\w*/gi

/** "Write tests for x" is about tests, and about none that fail. */
const WANTS_CHECK =
  /\b(?:fail\w*|fix\w*|bugs?|debug\w*|broken?|breaks|crash\w*|errors?|exceptions?|red|green|pass(?:es|ing)?|wrong|regress\w*|flaky|traceback|run)\b|n't work|not work/i

/** "Do not run anything": then nothing is. */
const FORBIDDEN =
  /\b(?:do not|don't|dont|never|without) (?:\w+ )?(?:run|execut)\w*(?: (?:any|the|it|them|tests?|commands?)\b|\W|$)/i

type Named = { readonly command: string; readonly fails: boolean }

/** In the person's own words and in what they pasted: `$ npm test` stands above its output. */
function namedIn(prompt: string): readonly Named[] {
  const words = prompt.replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
  const told = toSentences(words).flatMap((sentence) =>
    namedCommands(sentence).map((command) => ({ command, fails: FAILS.test(sentence) })),
  )
  const typed = [...prompt.matchAll(/^\s*(?:\$|❯|%) +(\S.{0,200})$/gm)]
    .map(([, command = '']) => command.trim())
    .filter(isCommand)
    .map((command) => ({ command, fails: true }))
  return [...told, ...typed]
}

const FAILS =
  /\b(?:fail\w*|crash\w*|throws?|errors?|exceptions?|broken?|breaks|red|wrong|hangs?|doesn't|does not|doesnt|won't|bug|complain\w*|exits? with|non-?zero|kaputt|fehler|schlägt|échoue|erreur|falla|не работает)\b|失败|错误/iu

/** The one that is said to fail, else the first that checks something. */
function best(named: readonly Named[]): string | undefined {
  const harmless = named
    .map(({ command, fails }) => ({ command: command.replace(/\s+2>&1$/, ''), fails }))
    .filter(({ command }) => !CHANGES.test(command) && !JOINED.test(command))
  const failing = harmless.filter(({ fails, command }) => fails || CHECKS.test(command))
  return (failing.find(({ command }) => CHECKS.test(command)) ?? failing[0])?.command
}

const CHECKS =
  /\b(?:tests?|check|verify|validate|lint|spec|e2e|typecheck|type-check|types|tsc|vue-tsc|build|compile|pytest|unittest|tox|nox|jest|vitest|mocha|ava|tap|playwright|eslint|oxlint|ruff|mypy|pyright|flake8|clippy|vet|rspec|phpunit|ctest|gcc|g\+\+|clang|javac|rustc)\b|^make\s*$/i

/** Several commands in one: only the first would be checked. */
const JOINED = /[;&|<>$\n`]/

/** It changes something outside of the project or the project itself, or does not end. */
const CHANGES =
  /(?:^|[\s:/])(?:deploy|publish|release|push|pull|commit|install|uninstall|add|remove|upgrade|update|migrate|migration|seed|reset|clean|drop|delete|rm|mv|cp|sudo|kill|start|serve|server|dev|watch|format|fmt|fix|write|init|create|login|curl|wget|ssh|scp|docker|kubectl|terraform|prettier|git)(?:\.\w+)?(?=[\s:]|$)|--(?:fix|write|watch|updateSnapshot|update-snapshots)\b|(?:^|\s)-u(?:\s|$)/i

type Kind = 'test' | 'types' | 'lint' | 'build'

const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['types', /\b(?:type ?errors?|type-?checks?|tsc|typescript errors?|mypy|pyright)\b/i],
  ['lint', /\b(?:lint\w*|eslint|oxlint|ruff|flake8|clippy)\b/i],
  ['build', /\b(?:builds?|compil\w*|bundl\w*|link(?:er)? errors?)\b/i],
]

/** Tests say most about any other fault. */
const kindOf = (prompt: string): Kind => KINDS.find(([, words]) => words.test(prompt))?.[0] ?? 'test'

function projectCommand(prompt: string, project: ProjectFacts): string | undefined {
  const kind = kindOf(prompt)
  return [ofScripts, ofMakefile, ofLanguage].reduce<string | undefined>(
    (found, look) => found ?? look(kind, project),
    undefined,
  )
}

const SCRIPTS: Readonly<Record<Kind, readonly string[]>> = {
  test: ['test'],
  types: ['typecheck', 'type-check', 'types', 'tsc', 'check:types', 'check'],
  lint: ['lint', 'check:lint', 'check'],
  build: ['build', 'compile', 'typecheck'],
}

function ofScripts(kind: Kind, { has, text }: ProjectFacts): string | undefined {
  const scripts = scriptsIn(text('package.json'))
  const name = SCRIPTS[kind].find((candidate) => isScript(scripts[candidate]))
  if (name === undefined) return undefined
  const manager = has('pnpm-lock.yaml') ? 'pnpm' : has('yarn.lock') ? 'yarn' : 'npm'
  return name === 'test' ? `${manager} test` : `${manager} run ${name}`
}

function scriptsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const { scripts } = JSON.parse(text) as { readonly scripts?: unknown }
    return typeof scripts === 'object' && scripts !== null ? (scripts as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Not the one `npm init` writes, and none that waits for changes. */
const isScript = (script: unknown): boolean =>
  typeof script === 'string' && !/no test specified|--watch\b|\bwatch\b/.test(script)

function ofMakefile(kind: Kind, { text }: ProjectFacts): string | undefined {
  const targets = kind === 'test' ? ['test', 'check'] : kind === 'types' ? ['typecheck', 'types'] : [kind]
  const target = targets.find((name) => new RegExp(`^${name}\\s*:(?!=)`, 'm').test(text('Makefile')))
  return target === undefined ? undefined : `make ${target}`
}

const isPytest = ({ has, text }: ProjectFacts): boolean =>
  ['pytest.ini', 'conftest.py', 'tests/conftest.py'].some(has) ||
  ['pyproject.toml', 'setup.cfg', 'tox.ini'].some((path) => text(path).includes('pytest'))

function ofLanguage(kind: Kind, project: ProjectFacts): string | undefined {
  const { has } = project
  if (has('go.mod'))
    return { test: 'go test ./...', types: 'go vet ./...', lint: 'go vet ./...', build: 'go build ./...' }[
      kind
    ]
  if (has('Cargo.toml')) {
    return { test: 'cargo test', types: 'cargo check', lint: 'cargo clippy', build: 'cargo build' }[kind]
  }
  if (kind === 'types' && has('tsconfig.json')) return 'npx --no-install tsc --noEmit'
  return kind === 'test' && isPytest(project) ? 'python3 -m pytest -q' : undefined
}
