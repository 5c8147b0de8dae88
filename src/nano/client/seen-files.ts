/**
 * A client's folder as far as the results of its tools show it: paths of listings and searches, texts that were read, and what calls changed
 * since. Stands where the project's files stand when the client works in another folder than the server. Pure.
 */
import { AppError } from '../../protocol/error.ts'
import type { ProjectFiles } from '../project/sources.ts'
import type { NanoStep } from '../steps/run.ts'

export type SeenFiles = ProjectFiles & {
  readonly paths: readonly string[]
  hasText(path: string): boolean
}

export function seenFiles(steps: readonly NanoStep[]): SeenFiles {
  const seen: Seen = { paths: new Set(), texts: new Map() }
  for (const step of steps) if (step.ok) CHANGES[step.call.name]?.(seen, step)
  const paths = [...seen.paths]
  const isFolder = (path: string): boolean =>
    path === '.' || paths.some((other) => other.startsWith(`${plain(path)}/`))
  return {
    paths,
    hasText: (path) => seen.texts.has(plain(path)),
    async list(folder) {
      const prefix = folder === '.' ? '' : `${plain(folder)}/`
      const below = paths.filter((path) => path.startsWith(prefix) && path !== prefix)
      return [
        ...new Set(below.map((path) => /^[^/]*\/?/.exec(path.slice(prefix.length))?.[0] ?? '')),
      ].toSorted()
    },
    async read(path) {
      const text = seen.texts.get(plain(path))
      if (text === undefined)
        throw new AppError('tool-failed', `${path} was not read yet; read it with the client's tool.`)
      return text
    },
    async info(path) {
      if (isFolder(path)) return { kind: 'folder', bytes: 0, mode: 0 }
      const text = seen.texts.get(plain(path))
      return seen.paths.has(plain(path)) || text !== undefined
        ? { kind: 'file', bytes: text?.length ?? 0, mode: 0 }
        : undefined
    },
  }
}

type Seen = { readonly paths: Set<string>; readonly texts: Map<string, string> }
type Change = (seen: Seen, step: NanoStep) => void

const plain = (path: unknown): string =>
  typeof path === 'string' ? path.replace(/^\.\//, '').replace(/\/+$/, '') : ''

const listed: Change = ({ paths }, { text }) => {
  for (const line of text.split('\n')) {
    const path = line.trim().replace(/^\.\//, '')
    if (path !== '' && path !== '.' && !/^No |[:*?"<>|]| is empty\.$/.test(path)) paths.add(path)
  }
  // A listing with folders and files may name a folder without its slash.
  for (const path of Array.from(paths)) {
    const parent = path.replace(/\/?[^/]+\/?$/, '')
    if (paths.delete(parent)) paths.add(`${parent}/`)
  }
}

const CHANGES: Readonly<Record<string, Change>> = {
  list_files: listed,
  find_files: listed,
  search_text({ paths }, { text }) {
    for (const line of text.split('\n')) {
      const path = /^([^:]{1,200}):\d+:/.exec(line)?.[1]
      if (path !== undefined) paths.add(path)
    }
  },
  read_file({ paths, texts }, { call: { input }, text }) {
    paths.add(plain(input['path']))
    if (Number(input['from'] ?? 1) === 1)
      texts.set(plain(input['path']), `${text.replaceAll(/^\d+\t/gm, '')}\n`)
  },
  write_file({ paths, texts }, { call: { input } }) {
    const path = plain(input['path'])
    const content = typeof input['content'] === 'string' ? input['content'] : ''
    paths.add(path)
    const before = texts.get(path)
    if (input['append'] !== true) texts.set(path, content)
    else if (before !== undefined) texts.set(path, `${before}${content}\n`)
  },
  edit_file({ texts }, { call: { input } }) {
    const path = plain(input['path'])
    const { old, new: replacement, all } = input
    const before = texts.get(path)
    if (before === undefined || typeof old !== 'string' || typeof replacement !== 'string') texts.delete(path)
    else
      texts.set(
        path,
        all === true ? before.replaceAll(old, () => replacement) : before.replace(old, () => replacement),
      )
  },
  make_folder({ paths }, { call: { input } }) {
    paths.add(`${plain(input['path'])}/`)
  },
  copy_file: (seen, { call: { input } }) => transfer(seen, plain(input['from']), plain(input['to'])),
  move_file(seen, { call: { input } }) {
    transfer(seen, plain(input['from']), plain(input['to']))
    remove(seen, plain(input['from']))
  },
  delete_file: (seen, { call: { input } }) => remove(seen, plain(input['path'])),
}

function transfer({ paths, texts }: Seen, from: string, to: string): void {
  for (const path of Array.from(paths)) {
    if (path !== from && !path.startsWith(`${from}/`)) continue
    const target = to + path.slice(from.length)
    const text = texts.get(path)
    paths.add(target)
    if (text !== undefined) texts.set(target, text)
  }
}

function remove({ paths, texts }: Seen, from: string): void {
  for (const path of Array.from(paths))
    if (path === from || path.startsWith(`${from}/`)) {
      paths.delete(path)
      texts.delete(path)
    }
}
