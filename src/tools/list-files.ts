/**
 * What is in a folder, a page at a time. A small tree is shown whole, so that one call is enough; of a large one the top
 * with counts. Files of one folder share a line, which names the folder once.
 */
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { type CheckContext, defineTool } from '../protocol/tool.ts'
import { plural } from '../lib/text.ts'
import { pageText, requireLine, toPage } from './page.ts'
import { ripgrep, toProjectPath } from './ripgrep.ts'

const WHOLE_TREE = 60

export const listFilesTool = defineTool({
  name: 'list_files',
  description: 'List a folder',
  category: 'read',
  input: z.object({ path: z.string().default('.'), from: z.int().default(1) }),
  paths: ['path'],
  paged: true,
  access: ({ path }) => [{ kind: 'read', target: path }],

  async check({ path }, context) {
    await requireFolder(toFolder(path), context)
    return { ok: true }
  },

  async run({ path, from: asked }, context) {
    const from = Math.max(1, asked)
    const folder = toFolder(path)
    await requireFolder(folder, context)
    const [names, tree] = await Promise.all([
      context.files.list(folder),
      ripgrep(['--files'], [folder], context),
    ])
    const files = tree.lines.map(toProjectPath)
    const prefix = folder === '.' ? '' : `${folder}/`
    const shown = tree.isPartial
      ? names.map((name) => prefix + name)
      : files.length <= WHOLE_TREE
        ? byFolder(files)
        : topLevel(files, prefix)
    const seen = new Set(files.map((file) => topName(file, prefix)))
    const hidden = names.filter((name) => name !== '.git/' && !seen.has(name))
    const lines = [...shown, ...(tree.isPartial ? [] : ignoredLine(hidden))]
    if (lines.length === 0) return `${path} is empty.`
    requireLine(from, lines.length, path)
    return pageText(toPage(lines, from, context), { from, total: lines.length })
  },
})

/** Names that would be taken for two stand alone. */
const MOST_IN_LINE = 12

/** Files of the root one by one, those of each folder together. */
function byFolder(files: readonly string[]): readonly string[] {
  const folders = new Map<string, string[]>()
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf('/') + 1)
    folders.set(folder, [...(folders.get(folder) ?? []), file.slice(folder.length)])
  }
  return [...folders].flatMap(([folder, names]) => {
    if (folder === '' || names.length === 1) return names.map((name) => folder + name)
    const plain = names.filter((name) => !name.includes(', '))
    const odd = names.filter((name) => name.includes(', ')).map((name) => folder + name)
    return [...inLines(plain).map((line) => `${folder}: ${line}`), ...odd]
  })
}

const inLines = (names: readonly string[]): readonly string[] =>
  Array.from({ length: Math.ceil(names.length / MOST_IN_LINE) }, (_, at) =>
    names.slice(at * MOST_IN_LINE, (at + 1) * MOST_IN_LINE).join(', '),
  )

const toFolder = (path: string): string => toProjectPath(path).replace(/\/+$/, '') || '.'

async function requireFolder(path: string, { files }: CheckContext): Promise<void> {
  const info = await files.info(path)
  if (info?.kind === 'folder') return
  if (info) throw new AppError('tool-failed', `${path} is a file; use read_file.`)
  throw new AppError('tool-failed', `${path} does not exist; list_files without a path shows what does.`, {
    failure: 'missing-path',
  })
}

/** Files of this folder as they are, folders below it with the number of files in them. */
function topLevel(files: readonly string[], prefix: string): readonly string[] {
  const counts = new Map<string, number>()
  for (const file of files) {
    const entry = prefix + topName(file, prefix)
    counts.set(entry, (counts.get(entry) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([entry, count]) => (entry.endsWith('/') ? `${entry} (${plural(count, 'file')})` : entry))
}

/** What of the folder itself a file lies in, or is. */
function topName(file: string, prefix: string): string {
  const end = file.indexOf('/', prefix.length)
  return file.slice(prefix.length, end < 0 ? undefined : end + 1)
}

const MAX_IGNORED = 12

function ignoredLine(names: readonly string[]): readonly string[] {
  if (names.length === 0) return []
  const more = names.length > MAX_IGNORED ? ', …' : ''
  return [`[ignored or empty: ${names.slice(0, MAX_IGNORED).join(', ')}${more}]`]
}
