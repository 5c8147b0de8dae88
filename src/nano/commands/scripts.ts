/** Scripts of the project: of npm, composer, make and just, with the variables and arguments that a clause gives them. Pure. */
import { projectScripts, scriptFiles } from '../project/scripts.ts'
import type { Accepts } from './accepts.ts'
import { shapeOfArgument } from './accepts.ts'
import { argumentsFor } from './arguments.ts'
import type { Command, CommandAsk } from './ask.ts'
import { againMarks } from './again.ts'
import { type Given, givenIn } from './given.ts'
import { nextShape } from './shape.ts'
import type { PathProject } from '../paths/project.ts'
import { escaped, wordsIn } from '../opinion/tokens.ts'

/** A script as the project has it, whatever is asked for. */
type Script = Command & {
  /** What it does, as its file says it. */
  readonly body: string
  readonly variables: readonly Variable[]
  /** Of a recipe of just, which takes them by their place. */
  readonly accepts?: Accepts
}

type Variable = { readonly name: string; readonly value: string | undefined }

/** Kept for each project, because every clause looks at them. */
const known = new WeakMap<PathProject, readonly Script[]>()

export function projectCommands(project: PathProject): readonly Script[] {
  const found = known.get(project) ?? readScripts(project)
  known.set(project, found)
  return found
}

export function scriptsFor(ask: CommandAsk): Command[] {
  const words = new Set(wordsIn(ask.clause))
  return projectCommands(ask.project).flatMap((script) => {
    const marks = [...(script.marks ?? []), ...goesOn(script, ask.clause)]
    const isAgain = ask.ran !== undefined && `${ask.ran} `.startsWith(`${script.command} `)
    const all = [
      { ...script, marks },
      ...withArguments(script, ask, isAgain ? new Set([...words, ...script.label]) : words),
    ]
    return isAgain
      ? all.map((one) => ({ ...one, marks: [...(one.marks ?? []), ...againMarks(one, ask.ran ?? '')] }))
      : all
  })
}

/** What the clause has behind it where it spells it. */
const goesOn = ({ command }: Script, clause: string): string[] => {
  const at = clause.toLowerCase().indexOf(command.toLowerCase())
  return at < 0 ? [] : [`goes-on:${nextShape(clause.slice(at + command.length))}`]
}

function withArguments(script: Script, ask: CommandAsk, words: ReadonlySet<string>): Command[] {
  const { label, variables, accepts, body, command } = script
  if ((variables.length === 0 && !accepts) || !label.some((part) => isSaid(part, words))) return []
  const given = givenIn(ask, new Set(label))
  const placed = accepts ? argumentsFor(given, accepts, { clause: ask.clause, text: body }) : []
  const used = usedArguments(ask.project)
  const all = [
    ...variables.flatMap((variable) =>
      given
        .slice(0, MOST_VALUES)
        .map((one) => ({ ...assigned(script, variable, one, words), value: one.text })),
    ),
    ...placed.map(({ text, kind, signs, covers }) => ({
      ...script,
      command: `${command.split(' ').slice(0, 2).join(' ')} ${text}`,
      argument: { kind, covers },
      marks: [...(script.marks ?? []), ...signs],
      value: text,
    })),
  ]
  return all.map(({ value, ...one }) => ({
    ...one,
    marks: [
      ...(one.marks ?? []),
      `arg used:${used.has(value)}`,
      `arg used:${used.has(value)} of:${used.size > 0}`,
    ],
  }))
}

const usedIn = new WeakMap<PathProject, ReadonlySet<string>>()

/** What the project's pages and scripts give to a recipe: `just deploy office`, `make train CFG=small.yaml`. */
function usedArguments(project: PathProject): ReadonlySet<string> {
  const known = usedIn.get(project)
  if (known) return known
  const used = new Set(
    [...project.texts.values()].flatMap((text) => Array.from(text.matchAll(USED), ([, value = '']) => value)),
  )
  usedIn.set(project, used)
  return used
}

const USED = /\b(?:just|make) [a-z][\w-]*[ \t]+(?:[A-Za-z_]+=)?([\w./-]+)/g

const MOST_VALUES = 18

const isSaid = (part: string, words: ReadonlySet<string>): boolean =>
  words.has(part) ||
  [...words].some(
    (word) => part.length > 3 && word.length > 3 && (word.startsWith(part) || part.startsWith(word)),
  )

function assigned(
  script: Script,
  { name, value }: Variable,
  { text, kind, signs }: Given,
  words: ReadonlySet<string>,
): Command {
  const isNamed = words.has(name.toLowerCase())
  const isAlike = value === undefined ? 'none' : String(shapeOfArgument(value) === shapeOfArgument(text))
  const isKnown = new RegExp(String.raw`(?<![\w-])${escaped(text)}(?![\w-])`).test(script.body)
  return {
    ...script,
    command: `${script.command} ${name}=${text}`,
    argument: { kind: `var ${kind}`, covers: [...wordsIn(text), ...(isNamed ? [name.toLowerCase()] : [])] },
    marks: [
      ...(script.marks ?? []),
      'var',
      `var ${kind}`,
      `var ${kind} alike:${isAlike}`,
      `var default:${value === text}`,
      `var named:${isNamed} alike:${isAlike}`,
      `var name:${name} ${kind}`,
      `var of:${script.variables.length}`,
      `var known:${isKnown}`,
      ...signs.map((sign) => `var ${kind} ${sign}`),
    ],
  }
}

function readScripts(project: PathProject): Script[] {
  const { texts } = project
  const read = Object.fromEntries(
    scriptFiles.flatMap((file) => {
      const text = texts.get(file)
      return text === undefined ? [] : [[file, text]]
    }),
  )
  const found = [
    ...projectScripts(read),
    ...composerScripts(texts.get('composer.json') ?? ''),
    ...recipesWithDefaults(texts.get('justfile') ?? ''),
    ...usualScripts(project),
  ]
  const own = new Set(found.filter(({ command }) => !OF_TOOL.test(command)).map(({ label }) => label))
  const kept = found.filter(({ label, command }) => !OF_TOOL.test(command) || !own.has(label))
  return kept.map(({ label, command }) => {
    const body = bodyOf(label, command, project)
    const variables = command.startsWith('make ') ? variablesIn(body, texts.get('Makefile') ?? '') : []
    return {
      command,
      source: 'script',
      label: wordsIn(label),
      about: new Set(wordsIn(body)),
      marks: [...aliasMarks(body, project), ...variableMarks(variables)],
      body,
      variables,
      ...(command.startsWith('just ') && recipeTakes(label, project)),
    }
  })
}

/** What the tool does in every project, not what this one has written down. */
const OF_TOOL = /^(?:cargo|go|flutter|mvn|gradle|mix|python3 -m) /

/** What is run in every project of a kind. */
function usualScripts({ files, texts }: PathProject): { readonly label: string; readonly command: string }[] {
  const unit = files.find(
    (path) =>
      /(?:^|\/)test_[^/]*\.py$/.test(path) &&
      /^\s*import unittest|unittest\.TestCase/m.test(texts.get(path) ?? ''),
  )
  const folder = unit?.includes('/') ? unit.slice(0, unit.lastIndexOf('/')) : '.'
  const usual = USUAL.flatMap(([file, program, verbs]) =>
    files.includes(file)
      ? verbs.split(' ').map((verb) => ({ label: verb, command: `${program} ${verb}` }))
      : [],
  )
  return unit === undefined
    ? usual
    : [...usual, { label: 'test', command: `python3 -m unittest discover ${folder}` }]
}

const USUAL: readonly (readonly [string, string, string])[] = [
  ['pubspec.yaml', 'flutter', 'test run analyze'],
  ['pubspec.yaml', 'flutter pub', 'get'],
  ['pom.xml', 'mvn', 'test package verify clean'],
  ['build.gradle', './gradlew', 'test build clean'],
  ['mix.exs', 'mix', 'test format compile deps.get'],
  ['Gemfile', 'bundle', 'install'],
  ['composer.json', 'composer', 'install'],
]

/** `flash board='rev_b':`; those without a default are found where nano looks for scripts. */
const recipesWithDefaults = (text: string): { readonly label: string; readonly command: string }[] =>
  Array.from(text.matchAll(/^@?([A-Za-z][\w-]*)[ \t]+[^:\n]*=[^:\n]*:(?!=)/gm), ([, label = '']) => ({
    label,
    command: `just ${label}`,
  }))

function composerScripts(text: string): { readonly label: string; readonly command: string }[] {
  const block = /"scripts"\s*:\s*\{([^}]*)\}/.exec(text)?.[1] ?? ''
  return Array.from(block.matchAll(/"([\w:-]+)"\s*:/g), ([, label = '']) => ({
    label,
    command: `composer ${label}`,
  }))
}

function bodyOf(label: string, command: string, { texts }: PathProject): string {
  if (/^(?:npm|composer)/.test(command)) {
    const file = command.startsWith('npm') ? 'package.json' : 'composer.json'
    const body = new RegExp(String.raw`"${escaped(label)}"\s*:\s*"((?:[^"\\]|\\.)*)"`).exec(
      texts.get(file) ?? '',
    )
    return body?.[1] ?? ''
  }
  const file = command.startsWith('just') ? 'justfile' : 'Makefile'
  const recipe = new RegExp(
    String.raw`((?:^#.*\n)*)^@?${escaped(label)}(?:[ \t][^:=\n]*)?:(?!=).*\n?((?:[\t ]+.*\n?)*)`,
    'm',
  ).exec(texts.get(file) ?? '')
  return recipe?.[0] ?? ''
}

/** It does nothing but run a file of the project, alone or with arguments. */
function aliasMarks(body: string, { files }: PathProject): string[] {
  const lines = body.split('\n').filter((line) => line.trim() !== '' && !/^(?:#|\S*:)/.test(line))
  const path = files.find((file) => SCRIPT.test(file) && body.includes(file))
  if (path === undefined) return ['alias:none']
  return [`alias:${lines.length <= 1 ? 'only' : 'with more'}`]
}

const SCRIPT = /\.(?:py|sh|js|mjs|rb|pl|lua|R)$/

/** Without a default something must be said for them. */
const variableMarks = (variables: readonly Variable[]): string[] =>
  variables.length === 0
    ? []
    : [`vars:${variables.every(({ value }) => value !== undefined && value !== '')}`]

/** What a recipe leaves open: `$(ENV)`, with its value where the request gives none. */
function variablesIn(body: string, makefile: string): Variable[] {
  const names = new Set(Array.from(body.matchAll(/\$[({]([A-Za-z_]\w*)[)}]/g), ([, name = '']) => name))
  return [...names]
    .filter((name) => !TOOLS.test(name))
    .map((name) => ({
      name,
      value: new RegExp(String.raw`^${name}\s*[?:]?=[ \t]*(.*)$`, 'm').exec(makefile)?.[1]?.trim(),
    }))
    .filter(({ value }) => value === undefined || !/\s|\$/.test(value))
    .slice(0, MOST_VARIABLES)
}

const MOST_VARIABLES = 3
const TOOLS =
  /^(?:CC|CXX|LD|AR|C\w*FLAGS|LD\w*|LIBS?|MAKE\w*|PYTHON3?|PY|SHELL|NODE|NPM|PIP|GO|CARGO|RM|CP|SRCS?|OBJS?|OBJECTS|SOURCES|BUILD(?:DIR)?|OUT(?:DIR)?|BIN|TARGET|PREFIX|DESTDIR|VENV|VERSION)$/

/** The parameters of a recipe: `flash board='rev_b':`. */
function recipeTakes(label: string, { texts }: PathProject): { readonly accepts: Accepts } | undefined {
  const [, parameters = ''] =
    new RegExp(String.raw`^@?${escaped(label)}[ \t]+([^:\n]+):(?!=)`, 'm').exec(
      texts.get('justfile') ?? '',
    ) ?? []
  const all = parameters.split(/\s+/).filter(Boolean)
  if (all.length === 0) return undefined
  const defaults = all.flatMap((one) => /=["']?([^"']+)/.exec(one)?.[1] ?? [])
  return {
    accepts: {
      most: all.length,
      isOptional: defaults.length > 0,
      shown: defaults.length > 0 ? [defaults.map(shapeOfArgument).join(' ')] : [],
      flags: new Map(),
      name: /^\w+/.exec(parameters)?.[0] ?? '',
    },
  }
}
