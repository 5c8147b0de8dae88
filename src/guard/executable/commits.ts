/**
 * The commits that were there when the program started: what branches, tags and HEAD pointed to. Read from git's files, not
 * by git, and only those ids count as old later on.
 */
import { join, resolve } from 'node:path'
import { readRegularSync } from '../../lib/read-regular.ts'
import { lookAt, namesIn } from './item.ts'

export type Commits = ReadonlySet<string>

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const MAX_REFS = 20_000
const MAX_REF_BYTES = 16 * 1024 * 1024

/** What branches, tags and HEAD of these repositories point to. */
export function noteCommits(repositories: Iterable<string>): Commits {
  const ids = new Set<string>()
  const add = (text: string): void => {
    for (const word of text.split(/\s+/)) {
      const id = word.replace(/^\^/, '')
      if (ids.size < MAX_REFS && ID.test(id)) ids.add(id)
    }
  }
  const walk = (folder: string, depth: number): void => {
    for (const name of namesIn(folder)) {
      const path = join(folder, name)
      if (ids.size >= MAX_REFS) return
      if (lookAt(path)?.isDirectory()) {
        if (depth < 10) walk(path, depth + 1)
      } else add(textOf(path, 1000))
    }
  }
  for (const repository of repositories) {
    add(textOf(join(repository, 'HEAD'), 1000))
    add(textOf(join(repository, 'packed-refs'), MAX_REF_BYTES))
    walk(join(repository, 'refs'), 0)
    for (const name of namesIn(join(repository, 'worktrees'))) {
      add(textOf(join(repository, 'worktrees', name, 'HEAD'), 1000))
    }
  }
  return ids
}

const textOf = (path: string, maxBytes: number): string =>
  readRegularSync(path, maxBytes)?.bytes.toString('latin1') ?? ''

/** The commit that is checked out in a folder, by its `.git` folder or file. */
export function headOf(workTree: string): string | undefined {
  const dotGit = join(workTree, '.git')
  const elsewhere = /^gitdir: (.*?)\s*$/s.exec(textOf(dotGit, 4096))?.[1]
  const folder = elsewhere === undefined ? dotGit : resolve(workTree, elsewhere)
  const common = textOf(join(folder, 'commondir'), 4096).trim()
  const head = textOf(join(folder, 'HEAD'), 1000).trim()
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1]
  if (ref === undefined) return ID.test(head) ? head : undefined
  const shared = common === '' ? folder : resolve(folder, common)
  const loose = textOf(join(shared, ref), 1000).trim()
  if (ID.test(loose)) return loose
  const packed = textOf(join(shared, 'packed-refs'), MAX_REF_BYTES)
  return packed
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`))
    ?.split(' ', 1)[0]
}
