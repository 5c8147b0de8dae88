/** What the disk says about the project while a rule closes paths: which files are open, and whose repository a folder is. */
import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isInside } from '../../lib/path.ts'
import { readRegularSync } from '../../lib/read-regular.ts'
import type { Rule } from '../../protocol/guard.ts'
import type { OpenPaths, Repository } from '../shell/git-folder.ts'
import { createDenies } from './denied-paths.ts'

export function createOpenPaths(rules: readonly Rule[], root: string): OpenPaths {
  const denies = createDenies(rules, root)
  const isReal = (path: string): boolean => realOf(path) === path
  return {
    isOpen(path) {
      const place = join(root, path)
      return !denies(path) && kindOf(place) === 'file' && isReal(place)
    },
    isFolder(path) {
      const place = join(root, path)
      return !/(?:^|\/)\.git(?:\/|$)/i.test(path) && kindOf(place) === 'folder' && isReal(place)
    },
    repositoryOf: (folder) => findRepository(join(root, folder), root),
  }
}

/** The nearest one: of the project or a folder above it, or a submodule that the project's own repository keeps. */
function findRepository(start: string, root: string): Repository | undefined {
  for (let workTree = start; ; workTree = dirname(workTree)) {
    const gitFolder = join(workTree, '.git')
    const kind = kindOf(gitFolder)
    if (kind !== undefined) {
      if (workTree === root || !isInside(root, workTree)) return { gitFolder, workTree }
      return kind === 'file' ? findSubmodule(gitFolder, workTree, root) : undefined
    }
    if (workTree === dirname(workTree)) return undefined
  }
}

function findSubmodule(file: string, workTree: string, root: string): Repository | undefined {
  const text = readRegularSync(file, MAX_POINTER)?.bytes.toString() ?? ''
  const named = /^gitdir: (.+)$/m.exec(text)?.[1]
  const gitFolder = named === undefined ? undefined : realOf(resolve(workTree, named.trim()))
  const modules = join(root, '.git', 'modules')
  return gitFolder !== undefined && gitFolder !== modules && isInside(modules, gitFolder)
    ? { gitFolder, workTree }
    : undefined
}

const MAX_POINTER = 4096

function kindOf(path: string): 'file' | 'folder' | 'other' | undefined {
  const info = lstatSync(path, { throwIfNoEntry: false })
  if (!info) return undefined
  return info.isFile() ? 'file' : info.isDirectory() ? 'folder' : 'other'
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
