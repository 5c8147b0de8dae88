/**
 * Files of the project that a command line would run, as far as it names them: as words, by a link, as what a runner such
 * as make or npm reads by itself, and one script by another. What a shell would make of variables is not computed.
 */
import { createHash } from 'node:crypto'
import { readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { isInside, matchesGlob } from '../../lib/path.ts'
import { readRegular, type RegularFile } from '../../lib/read-regular.ts'

export type NamedFile = {
  /** Links followed, inside the project. */
  readonly path: string
  /** Of its content; absent for what cannot be read whole. */
  readonly hash?: string
}

const MAX_BYTES = 16 * 1024 * 1024
/** A script may start another one, and that a third. */
const MAX_STEPS = 4

export async function namedFiles(argv: readonly string[], root: string): Promise<readonly NamedFile[]> {
  const found = new Map<string, NamedFile>()
  await collect(argv, { root, found }, MAX_STEPS)
  return [...found.values()]
}

type Search = { readonly root: string; readonly found: Map<string, NamedFile> }

async function collect(texts: readonly string[], search: Search, steps: number): Promise<void> {
  const words = wordsOf(texts)
  const folders = await foldersAmong(words, search.root)
  const bases = [
    search.root,
    ...folders,
    ...(words.some(isPackageRunner) ? binFolders([search.root, ...folders]) : []),
  ]
  const isModular = words.some((word) => INTERPRETER.test(basename(word)))
  const spell = isModular ? spellings : (word: string, base: string) => [absolute(word, base)]
  const candidates = bases.flatMap((base) => words.flatMap((word) => spell(word, base)))
  const globbed = await Promise.all(bases.flatMap((base) => words.map((word) => expand(word, base))))
  const implied = bases.flatMap((base) => words.flatMap((word) => runnerFiles(word, base)))
  const listed = texts.some(isList) ? await Promise.all(folders.map(scriptsIn)) : []
  for (const path of new Set([...candidates, ...globbed.flat(), ...listed.flat()]))
    await take(path, search, steps)
  for (const path of implied) await take(path, search, 0)
}

/** Where what stands before a slash is known only when it runs, what stands behind it counts from the project. */
const wordsOf = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts.flatMap((text) => [text, ...text.split(/[\s;&|()<>"'`=,:]+/)]))]
    .flatMap((word) => [word, word.replace(/^(?:\$\{?\w+\}?)?\/+/, '')])
    .filter((word) => word !== '' && word.length < 4096 && !word.includes('\0'))
    .slice(0, MAX_WORDS)

const MAX_WORDS = 2000

const absolute = (word: string, base: string): string =>
  resolve(base, word.replace(/^(?:~|\$\{?HOME\}?)(?=\/)/, homedir()).replace(/^\$\{?PWD\}?(?=\/)/, '.'))

const isPackageRunner = (word: string): boolean =>
  /^(?:npx|pnpx|bunx|npm|pnpm|yarn|bun)$/.test(basename(word))

/** Where these find programs by name. */
const binFolders = (bases: readonly string[]): readonly string[] =>
  bases.map((base) => join(base, 'node_modules', '.bin'))

/** Names of files come from a list, or from a folder that is searched: every script in it may be meant. */
const isList = (text: string): boolean =>
  /\bxargs\b|\bfind\b|\brun-parts\b|\bfor\b|\bPATH=|\$\{?\w/.test(text)

async function scriptsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  const paths = names.slice(0, MAX_LISTED).map((name) => join(folder, name))
  const modes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mode }) => mode,
        () => 0,
      ),
    ),
  )
  return paths.filter((path, index) => SHELL_NAME.test(path) || ((modes[index] ?? 0) & 0o111) !== 0)
}

const MAX_LISTED = 200
const SHELL_NAME = /\.(?:sh|bash|zsh|ksh)$/i

const INTERPRETER = /^(?:node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy[\d.]*|uv|poetry)$/

/** `node tools/x` finds `tools/x.js`, `python -m a.b` finds `a/b.py`, and a folder stands for its first file. */
function spellings(word: string, base: string): readonly string[] {
  const path = absolute(word, base)
  const module = /^[\w.]+$/.test(word) ? [resolve(base, `${word.replaceAll('.', '/')}.py`)] : []
  return [
    path,
    ...['.js', '.cjs', '.mjs', '.ts'].map((ending) => path + ending),
    ...['index.js', 'index.cjs', 'index.mjs', '__main__.py'].map((name) => join(path, name)),
    ...module,
  ]
}

/** Folders of the project: what follows may be meant from there. */
async function foldersAmong(words: readonly string[], root: string): Promise<readonly string[]> {
  const reals = await Promise.all(words.slice(0, 200).map((word) => realOf(absolute(word, root))))
  const inside = [...new Set(reals)].filter((path) => path !== undefined && isProject(path, root))
  const kinds = await Promise.all(inside.map((path) => stat(path ?? '').catch(() => undefined)))
  return inside.flatMap((path, index) => (path && kinds[index]?.isDirectory() ? [path] : [])).slice(0, 20)
}

async function expand(word: string, base: string): Promise<readonly string[]> {
  if (!/[*?[{]/.test(basename(word)) || /[*?[{]/.test(dirname(word))) return []
  const folder = dirname(absolute(word, base))
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => matchesGlob(name, basename(word))).map((name) => join(folder, name))
}

/** What these read without being told. */
function runnerFiles(word: string, base: string): readonly string[] {
  const files = RUNNERS.find(([name]) => name.test(basename(word)))?.[1] ?? []
  return files.map((name) => join(base, name))
}

const RUNNERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx)$/, ['package.json', '.npmrc']],
  [/^g?make$/, ['GNUmakefile', 'makefile', 'Makefile']],
  [/^just$/, ['justfile', '.justfile', 'Justfile']],
  [/^task$/, ['Taskfile.yml', 'Taskfile.yaml']],
  [/^rake$/, ['Rakefile']],
  [/^(?:tox|nox)$/, ['tox.ini', 'noxfile.py']],
]

const isProject = (real: string, root: string): boolean => isInside(root, real) && real !== root

const realOf = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined)

/** Where it really lies counts: a link outside that leads into the project is a file of the project. */
async function take(path: string, search: Search, steps: number): Promise<void> {
  const real = await realOf(path)
  if (real === undefined || !isProject(real, search.root) || search.found.has(real)) return
  const info = await stat(real).catch(() => undefined)
  if (!info?.isFile()) return
  const file = await readRegular(real, MAX_BYTES).catch(() => undefined)
  if (file && steps > 0 && isData(path, file)) return
  const text = file?.bytes.toString('utf8')
  search.found.set(real, {
    path: real,
    ...(text !== undefined && { hash: createHash('sha256').update(text).digest('hex') }),
  })
  if (file && text !== undefined && steps > 1 && isScript(real, file))
    await collect([text], search, steps - 1)
}

/** What no program runs by being given its name. */
const isData = (path: string, { bytes, mode }: RegularFile): boolean =>
  /\.(?:txt|md|json|csv|tsv|log|lock|svg|png|jpe?g)$/i.test(path) &&
  (mode & 0o111) === 0 &&
  bytes.toString('latin1', 0, 2) !== '#!'

/** Of a shell: it names what it runs in plain words. */
const isScript = (path: string, { bytes }: RegularFile): boolean =>
  SHELL_NAME.test(path) || /^#!.*\b(?:ba|da|z|k)?sh\b/.test(bytes.toString('latin1', 0, 100))
