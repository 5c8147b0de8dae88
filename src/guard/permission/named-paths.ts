/**
 * The paths a command names, as far as they can be read without running it: arguments, values of options, targets of
 * redirections, each seen from every folder the command changes to. Text only; links are not followed.
 */
import { posix } from 'node:path'
import type { Part, Script } from '../shell/script.ts'
import { runsOthers } from '../shell/prefix.ts'
import type { Word } from '../shell/word.ts'

export type Surroundings = { readonly cwd: string; readonly home: string }

export type NamedPath = {
  /** Absolute, without `.` and `..`. */
  readonly path: string
  /** It holds a wildcard. */
  readonly glob: boolean
  /** Part of it is decided only when the command runs; what is known is its end. */
  readonly dynamic: boolean
}

export function namedPaths(scripts: readonly Script[], surroundings: Surroundings): readonly NamedPath[] {
  const { cwd } = surroundings
  const folders = [cwd, ...scripts.flatMap((script) => foldersOf(script, surroundings))]
  const pieces = scripts.flatMap((script) => [
    ...script.parts.flatMap(piecesOf),
    ...script.mentions.flatMap((word) => piecesOfWord(word)),
  ])
  const found = pieces.flatMap(({ text, glob, dynamic }) =>
    folders.map((folder) => ({ path: absolute(text, folder, surroundings), glob, dynamic })),
  )
  const seen = new Map(found.map((each) => [`${each.path} ${each.glob} ${each.dynamic}`, each]))
  return [...seen.values()]
}

/** `~` and the two variables everyone uses; everything else stays as it is. */
export function absolute(text: string, folder: string, { cwd, home }: Surroundings): string {
  const plain = text
    .replace(/^~(?=\/|$)/, home)
    .replace(/^\$HOME\b/, home)
    .replace(/^\$PWD\b/, cwd)
  return posix.resolve(folder, plain)
}

/** The folders that `cd` and `-C` lead to, one after the other. */
export function foldersOf({ parts }: Script, surroundings: Surroundings): readonly string[] {
  const folders: string[] = []
  let current = surroundings.cwd
  for (const { words } of parts) {
    const [name, first] = words
    if (/^(?:cd|pushd)$/.test(name?.text ?? '') && first) {
      current = absolute(first.filled, current, surroundings)
      folders.push(current)
    }
    words.forEach(({ text }, index) => {
      const target = /^(?:-C|--directory|--chdir)$/.test(text) ? words[index + 1]?.filled : gluedFolder(text)
      if (target !== undefined) folders.push(absolute(target, current, surroundings))
    })
  }
  return folders
}

const gluedFolder = (text: string): string | undefined =>
  /^(?:-C|--(?:directory|chdir|git-dir|work-tree)=)(.+)$/.exec(text)?.[1]

type Piece = { readonly text: string; readonly glob: boolean; readonly dynamic: boolean }

/** Code in an argument names paths too: of programs that run what they are given every bit of it is looked at. */
function piecesOf(part: Part): readonly Piece[] {
  const [name, ...args] = part.words
  const isCode = runsOthers(part) || /^(?:[gmn]?awk|g?sed|jq|make)$/.test(name?.text ?? '')
  return [...(name ? piecesOfWord(name) : []), ...args.flatMap((word) => piecesOfWord(word, isCode))]
}

function piecesOfWord({ filled, glob, dynamic }: Word, isCode = false): readonly Piece[] {
  const values = [filled, filled.replace(/^-{1,2}[\w-]+=?/, ''), ...filled.split(/[=:,@]/)]
  const inner = isCode ? filled.split(/[\s'"`()[\]{},;=:@|&<>]+/) : []
  return [...new Set([...values, ...inner])]
    .filter((text) => text !== '' && !text.startsWith('-'))
    .map((text) => ({ text, glob, dynamic }))
}
