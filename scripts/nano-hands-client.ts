/**
 * What a client does with a call, and what it sends back: each program words the results of its tools in its own way, and what went
 * wrong comes as text. Changes are made in the folder.
 */
import { appendFile, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { NanoCall } from '../src/nano/steps/run.ts'

export type Performed = { readonly ok: boolean; readonly text: string }

type Input = NanoCall['input']
type Place = { readonly root: string; readonly client: string }

/** By Covey's name of the tool. */
export async function perform({ name, input }: NanoCall, root: string, client: string): Promise<Performed> {
  const action = ACTIONS[name]
  if (!action) return failed(`${name} is not supported`)
  try {
    return { ok: true, text: await action(input, { root, client }) }
  } catch (error) {
    return failed(error instanceof Error ? error.message.replaceAll(`${root}/`, '') : String(error))
  }
}

const failed = (why: string): Performed => ({ ok: false, text: `Error: ${why}` })

type Action = (input: Input, place: Place) => Promise<string>

const ACTIONS: Readonly<Record<string, Action>> = {
  async read_file({ path, from }, { root, client }) {
    const file = join(root, String(path))
    if ((await stat(file)).isDirectory())
      return listing(await entriesOf(file), { root: String(path), client })
    const lines = (await readFile(file, 'utf8')).replace(/\n$/, '').split('\n')
    const first = Number(from ?? 1)
    return numbered(lines.slice(first - 1), first, client)
  },

  list_files: async ({ path }, { root, client }) =>
    listing(await entriesOf(join(root, String(path ?? '.'))), { root: String(path ?? '.'), client }),

  async find_files({ pattern }, { root, client }) {
    const found = (await filesIn(root)).filter((path) => toRegExp(String(pattern), client).test(path))
    if (found.length === 0) return 'No files found'
    return found.map((path) => (client === 'capitals' ? join(root, path) : path)).join('\n')
  },

  async search_text({ pattern, path }, { root, client }) {
    const files = (await filesIn(root)).filter((file) => isBelow(file, path))
    const regex = new RegExp(String(pattern))
    const hits = await Promise.all(
      files.map(async (file) => hitsOf(file, await readFile(join(root, file), 'utf8'), regex)),
    )
    return matches(hits.flat(), { root, client })
  },

  async write_file({ path, content }, { root }) {
    await mkdir(dirname(join(root, String(path))), { recursive: true })
    await writeFile(join(root, String(path)), String(content))
    return `File created successfully at: ${String(path)}`
  },

  async edit_file({ path, old, new: replacement, all }, { root }) {
    const text = await readFile(join(root, String(path)), 'utf8')
    const places = old === '' ? 0 : text.split(String(old)).length - 1
    if (places === 0) throw new Error('String to replace not found in file.')
    if (places > 1 && all !== true) throw new Error(`Found ${places} matches of the string to replace.`)
    await writeFile(
      join(root, String(path)),
      text.replaceAll(String(old), () => String(replacement)),
    )
    return `The file ${String(path)} has been updated.`
  },

  async insert({ path, new: text }, { root }) {
    await appendFile(join(root, String(path)), String(text))
    return 'Inserted.'
  },

  async make_folder({ path }, { root }) {
    await mkdir(join(root, String(path)), { recursive: true })
    return `Successfully created directory ${String(path)}`
  },

  async move_file({ from, to }, { root }) {
    await rename(join(root, String(from)), join(root, String(to)))
    return `Successfully moved ${String(from)} to ${String(to)}`
  },

  info: async ({ path }, { root }) => `size: ${(await stat(join(root, String(path)))).size}`,
}

type Hit = { readonly file: string; readonly number: number; readonly text: string }

const hitsOf = (file: string, text: string, regex: RegExp): Hit[] =>
  text
    .split('\n')
    .flatMap((line, index) => (regex.test(line) ? [{ file, number: index + 1, text: line }] : []))

const isBelow = (file: string, path: unknown): boolean => {
  const folder = typeof path === 'string' ? path.replace(/^\.\/?/, '').replace(/\/+$/, '') : ''
  return folder === '' || file === folder || file.startsWith(`${folder}/`)
}

async function filesIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted()
}

const entriesOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true }))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted()

function listing(entries: readonly string[], { root, client }: Place): string {
  if (client === 'capitals') return [`- ${root}/`, ...entries.map((entry) => `  - ${entry}`)].join('\n')
  if (client === 'served')
    return entries
      .map((entry) => (entry.endsWith('/') ? `[DIR] ${entry.slice(0, -1)}` : `[FILE] ${entry}`))
      .join('\n')
  return entries.join('\n')
}

function numbered(lines: readonly string[], first: number, client: string): string {
  const signs: Readonly<Record<string, string>> = { capitals: '→', editor: '\t' }
  const sign = signs[client]
  if (client === 'camels')
    return [
      '<file>',
      ...lines.map((line, index) => `${String(first + index).padStart(5, '0')}| ${line}`),
      '</file>',
    ].join('\n')
  return sign === undefined
    ? lines.join('\n')
    : lines.map((line, index) => `${String(first + index).padStart(6)}${sign}${line}`).join('\n')
}

function matches(hits: readonly Hit[], { root, client }: Place): string {
  if (hits.length === 0) return client === 'capitals' ? 'No files found' : 'No matches found'
  const files = [...new Set(hits.map(({ file }) => file))]
  if (client === 'capitals')
    return [`Found ${files.length} files`, ...files.map((file) => join(root, file))].join('\n')
  if (client !== 'camels') return hits.map(({ file, number, text }) => `${file}:${number}:${text}`).join('\n')
  const blocks = files.map((file) =>
    [
      `${file}:`,
      ...hits.filter((hit) => hit.file === file).map(({ number, text }) => `  Line ${number}: ${text}`),
    ].join('\n'),
  )
  return [`Found ${hits.length} matches`, ...blocks].join('\n')
}

/** The server of `served` looks for a part of a name, the others for a pattern. */
function toRegExp(glob: string, client: string): RegExp {
  if (client === 'served' && !glob.includes('*')) return new RegExp(escaped(glob), 'i')
  const body = escaped(glob)
    .replaceAll('\\*\\*/', '\u0000')
    .replaceAll('\\*\\*', '\u0001')
    .replaceAll('\\*', '[^/]*')
    .replaceAll('\u0000', '(?:.*/)?')
    .replaceAll('\u0001', '.*')
  return new RegExp(`^${glob.includes('/') ? '' : '(?:.*/)?'}${body}$`)
}

const escaped = (text: string): string => text.replaceAll(/[.*+^${}()|[\]\\]/g, '\\$&')
