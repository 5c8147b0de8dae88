/** Commands and patterns a request implies without spelling them: the project's scripts, files that run, globs. Pure. */
import { isObject } from '../../lib/json.ts'
import { factsIn } from '../commands/facts.ts'
import type { Script } from '../weights/format.ts'
import { singular } from '../paths/named.ts'
import { lengthOf, strip, wordsOf } from '../request/spans.ts'
import { bareNames, gitCommands, gitWords, runners, stopWords, typeWords } from '../request/words.ts'

const MAX_SCRIPTS = 12
const MAX_GLOBS = 64

/** The files of a project that say what it can run. */
export const scriptFiles = [
  'package.json',
  'requirements.txt',
  'Makefile',
  'pyproject.toml',
  'Cargo.toml',
  'go.mod',
  'justfile',
] as const

type ScriptFile = (typeof scriptFiles)[number]

/** `texts` holds those of the files that exist. */
export function projectScripts(texts: Readonly<Partial<Record<ScriptFile, string>>>): Script[] {
  return scriptFiles.flatMap((file) => {
    const text = texts[file]
    return text === undefined ? [] : readers[file](text.replaceAll('\r\n', '\n'))
  })
}

const readers: Readonly<Record<ScriptFile, (text: string) => Script[]>> = {
  'package.json': (text) => [...packageScripts(text), { label: 'install', command: 'npm install' }],
  'requirements.txt': () => [{ label: 'install', command: 'pip install -r requirements.txt' }],
  Makefile: makeScripts,
  'pyproject.toml': (text) => [
    { label: 'test', command: 'pytest' },
    ...pyprojectNames(text).map((name) => ({ label: name, command: name })),
  ],
  'Cargo.toml': () => ['build', 'test', 'run'].map((verb) => ({ label: verb, command: `cargo ${verb}` })),
  'go.mod': () => ['build', 'test'].map((verb) => ({ label: verb, command: `go ${verb} ./...` })),
  justfile: (text) =>
    Array.from(text.matchAll(/^@?([A-Za-z][\w-]*)(?:\s[^:=\n]*)?:(?!=)/gm), ([, recipe = '']) => ({
      label: recipe,
      command: `just ${recipe}`,
    })),
}

function packageScripts(text: string): Script[] {
  try {
    const parsed: unknown = JSON.parse(text)
    const scripts = isObject(parsed) && isObject(parsed['scripts']) ? parsed['scripts'] : {}
    return Object.keys(scripts).map((name) => ({
      label: name,
      command: name === 'test' || name === 'start' ? `npm ${name}` : `npm run ${name}`,
    }))
  } catch {
    return []
  }
}

function makeScripts(text: string): Script[] {
  const targets = makeTargets(text)
  const named = targets.map((target) => ({ label: target, command: `make ${target}` }))
  return targets.includes('build') ? named : [...named, { label: 'build', command: 'make' }]
}

const makeTargets = (text: string): string[] => [
  ...new Set(
    Array.from(text.matchAll(/^([A-Za-z][\p{L}\p{N}_-]*)\s*:(?!=)/gmu), ([, target = '']) => target),
  ),
]

function pyprojectNames(text: string): string[] {
  const section = /^\[project\.scripts\]\n((?:[^[\n].*\n?|\n)*)/m.exec(text)?.[1] ?? ''
  return Array.from(section.matchAll(/^([\p{L}\p{N}_-]+)\s*=/gmu), ([, name = '']) => name)
}

/** Runnable files the request names, commands for facts it asks for, git's reading commands, then the project's own scripts. */
export function requestScripts(
  request: string,
  scripts: readonly Script[],
  ranks: ReadonlyMap<string, number>,
  whole = '',
): Script[] {
  const words = wordsOf(request)
  const around = new Set(wordsOf(whole).map((word) => singular(word.toLowerCase())))
  const lowered = new Set(words.map((word) => word.toLowerCase()))
  const asked = new Set([...lowered].map(singular))
  const isAsked = ({ label }: Script): boolean => asked.has(singular(label))
  const found = [
    ...runnable(words, ranks).map((path) => ({ label: path, command: `${runnerOf(path)} ${path}` })),
    ...[
      ...factsIn(request).map(({ command }) => command),
      ...([...gitWords].some((word) => lowered.has(word)) ? gitCommands : []),
    ].map((command) => ({ label: '', command })),
    ...scripts.filter(isAsked),
    ...scripts.filter((script) => !isAsked(script) && around.has(singular(script.label))),
    ...scripts.filter((script) => !isAsked(script) && !around.has(singular(script.label))),
  ]
  const byText = new Map(found.map((script) => [`${script.label}\n${script.command}`, script]))
  return [...byText.values()].slice(0, MAX_SCRIPTS)
}

/** Existing files, those named in full first, and file names that do not exist yet: a chain may write them first. */
function runnable(words: readonly string[], ranks: ReadonlyMap<string, number>): string[] {
  const listed = [...ranks]
    .filter(([path]) => runnerOf(path) !== undefined)
    .toSorted(([, one], [, other]) => other - one)
    .map(([path]) => path)
  const known = new Set(listed.flatMap((path) => [path, nameOf(path)]))
  const named = words.map((word) => word.replace(/^\.\//, ''))
  const others = named.filter((word) => runnerOf(word) !== undefined && !known.has(word))
  return [...listed.slice(0, 4), ...others].slice(0, 5)
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const runnerOf = (path: string): string | undefined => {
  const name = nameOf(path)
  const at = name.lastIndexOf('.')
  return at > 0 ? runners.get(name.slice(at + 1)) : undefined
}

/** `paths` are those the request names: a folder among them narrows a pattern. */
export function globCandidates(request: string, paths: readonly string[]): string[] {
  const words = wordsOf(request).filter((word) => lengthOf(word) <= 40 && !word.includes('*'))
  const folders = [
    '',
    ...paths.filter((path) => path.endsWith('/')),
    ...words.filter((word) => word.includes('/')).map((word) => `${word.replace(/\/+$/, '')}/`),
  ]
  const types = [
    ...words
      .flatMap((word) => typeWords.get(word.toLowerCase().replace(/^\.+/, '')) ?? [])
      .map((type) => `*.${type}`),
    ...words.filter((word) => /^(?:\.[\p{L}\p{N}_]+)+$/u.test(word)).map((ending) => `*${ending}`),
  ]
  const byType = [...new Set(folders)].flatMap((folder) =>
    [...new Set(types)].map((type) => `${folder}**/${type}`),
  )
  const byName = words.filter((word) => !word.includes('/')).flatMap(namePatterns)
  return [...new Set([...byType, ...byName])].slice(0, MAX_GLOBS)
}

function namePatterns(word: string): string[] {
  const isName = strip(word, '.').includes('.') || bareNames.has(word.toLowerCase())
  const isTelling = lengthOf(word) >= 2 && !stopWords.has(word.toLowerCase())
  return [...(isName ? [`**/${word}`] : []), ...(isTelling ? [`**/*${word}*`] : [])]
}
