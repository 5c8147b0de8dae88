/**
 * Whether content comes from a commit that was there when the program started. From the noted ids content is followed
 * through commits and trees, and every object on the way is hashed again: a command can write objects and dates as it
 * likes, but none with an id that was noted before.
 */
import { createHash } from 'node:crypto'
import { dirname, join, relative } from 'node:path'
import type { Program } from '../../protocol/tool.ts'
import { type Commits, headOf } from './commits.ts'
import { isInside } from '../../lib/path.ts'
import { readRegularSync } from '../../lib/read-regular.ts'
import { type Item, lookAt, namesIn, realOf } from './item.ts'

export type OpenProgram = (argv: readonly string[]) => Promise<Program>

export type History = { readonly commits: Commits; readonly open: OpenProgram }

/** Those of `items` whose content stands at the same path in a noted commit, or in the checked out ancestor of one. */
export async function fromCommits(
  items: readonly Item[],
  { commits, open }: History,
): Promise<ReadonlySet<Item>> {
  const old = new Set<Item>()
  const workTrees = new Set(items.map(({ path }) => workTreeOf(path)))
  for (const workTree of commits.size === 0 ? [] : workTrees) {
    if (workTree === undefined) continue
    const its = items.filter(({ path }) => workTreeOf(path) === workTree)
    // What cannot be verified is not old.
    for (const item of await verify(its, workTree, { commits, open }).catch(() => [])) old.add(item)
  }
  return old
}

/** The folder whose files git tracks; nothing for what lies in a repository's own folder. */
function workTreeOf(path: string): string | undefined {
  if (/\/\.git(?:\/|$)/i.test(path)) return undefined
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (lookAt(join(folder, '.git'))) return folder
  }
  return undefined
}

const MAX_TIPS = 300

async function verify(
  items: readonly Item[],
  workTree: string,
  { commits, open }: History,
): Promise<readonly Item[]> {
  const program = await open(['git', '--no-replace-objects', '-C', workTree, 'cat-file', '--batch'])
  try {
    const objects = createObjects(program)
    const head = headOf(workTree)
    const isOld = head !== undefined && (await isAncestor(head, commits, objects))
    const tips = [...(isOld ? [head] : []), ...commits].slice(0, MAX_TIPS)
    const old: Item[] = []
    for (const item of items) if (await standsIn(tips, { item, workTree, objects })) old.push(item)
    return old
  } finally {
    await program.kill()
  }
}

/** How far back a commit is looked for: a long history takes a second. */
const MAX_COMMITS = 20_000

async function isAncestor(wanted: string, commits: Commits, objects: Objects): Promise<boolean> {
  const seen = new Set(commits)
  const queue = [...commits]
  for (let at = 0; at < queue.length && at < MAX_COMMITS; at++) {
    const id = queue[at] ?? ''
    if (id === wanted) return true
    const text = (await objects.read(id))?.body.toString('latin1') ?? ''
    const header = text.split('\n\n', 1)[0] ?? ''
    for (const [, , parent = ''] of header.matchAll(/^(parent|object) ([0-9a-f]+)$/gm)) {
      if (!seen.has(parent)) queue.push(parent)
      seen.add(parent)
    }
  }
  return false
}

type Lookup = { readonly item: Item; readonly workTree: string; readonly objects: Objects }

/** Of a link also everything that it leads to: the link alone is no more than a name. */
async function standsIn(tips: readonly string[], { item, workTree, objects }: Lookup): Promise<boolean> {
  const behind = item.kind === 'link' ? entriesBehind(item.path, workTree) : []
  if (behind === undefined) return false
  const content = item.kind === 'link' ? Buffer.from(item.target ?? '') : item.content
  const wanted: readonly Entry[] = [{ path: item.path, mode: modeOf(item), content }, ...behind]
  for (const tip of tips) if (await holdsAll(tip, wanted, { workTree, objects })) return true
  return false
}

type Entry = { readonly path: string; readonly mode: string; readonly content: Buffer | undefined }

async function holdsAll(
  tip: string,
  wanted: readonly Entry[],
  { workTree, objects }: Omit<Lookup, 'item'>,
): Promise<boolean> {
  for (const { path, mode, content } of wanted) {
    const found = content && (await entryAt(tip, relative(workTree, path).split('/'), objects))
    if (!found || found.mode !== mode || found.id !== idOf('blob', content, found.id.length)) return false
  }
  return true
}

const MAX_BEHIND = 500
const MAX_BEHIND_BYTES = 1024 * 1024

/** Undefined if that is too much, or cannot be committed. */
function entriesBehind(link: string, workTree: string): readonly Entry[] | undefined {
  const real = realOf(link)
  if (real === undefined || !isInside(workTree, real) || real === workTree) return undefined
  const found: Entry[] = []
  const queue = [real]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const info = lookAt(path)
    if (found.length >= MAX_BEHIND || !info) return undefined
    if (info.isDirectory()) queue.push(...namesIn(path).map((name) => join(path ?? '', name)))
    else if (!info.isFile()) return undefined
    else {
      const content = readRegularSync(path, MAX_BEHIND_BYTES)?.bytes
      found.push({ path, mode: modeOf({ kind: 'file', mode: Number(info.mode) }), content })
    }
  }
  return found
}

/** As git writes it into a tree. */
const modeOf = ({ kind, mode }: Pick<Item, 'kind' | 'mode'>): string =>
  kind === 'link' ? '120000' : (mode & 0o100) === 0 ? '100644' : '100755'

type TreeRow = { readonly mode: string; readonly name: string; readonly id: string }

async function entryAt(
  tip: string,
  names: readonly string[],
  objects: Objects,
): Promise<TreeRow | undefined> {
  let id = await treeOf(tip, objects)
  for (const [at, name] of names.entries()) {
    const tree = id === undefined ? undefined : await objects.read(id)
    const row =
      tree?.type === 'tree' ? rowsOf(tree.body, tip.length / 2).find((each) => each.name === name) : undefined
    if (!row || at === names.length - 1) return row
    id = row.id
  }
  return undefined
}

/** A tag leads to its commit. */
async function treeOf(tip: string, objects: Objects): Promise<string | undefined> {
  const object = await objects.read(tip)
  const match = /^(tree|object) ([0-9a-f]+)$/m.exec(object?.body.toString('latin1').split('\n\n', 1)[0] ?? '')
  if (object?.type === 'tag' && match?.[1] === 'object') return treeOf(match[2] ?? '', objects)
  return object?.type === 'commit' && match?.[1] === 'tree' ? match[2] : undefined
}

function rowsOf(body: Buffer, idBytes: number): readonly TreeRow[] {
  const rows: TreeRow[] = []
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(0x20, at)
    const end = body.indexOf(0, space)
    if (space < 0 || end < 0) break
    const id = body.subarray(end + 1, end + 1 + idBytes).toString('hex')
    rows.push({ mode: body.toString('latin1', at, space), name: body.toString('utf8', space + 1, end), id })
    at = end + 1 + idBytes
  }
  return rows
}

type GitObject = { readonly type: string; readonly body: Buffer }

type Objects = { read(id: string): Promise<GitObject | undefined> }

const MAX_OBJECT = 32 * 1024 * 1024

/** Objects by their ids, each hashed again: what git answers is not believed. */
function createObjects(program: Program): Objects {
  const known = new Map<string, GitObject | undefined>()
  const output = program.output[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const more = async (): Promise<void> => {
    const next = await output.next()
    if (next.done) throw new Error('git ended')
    rest = Buffer.concat([rest, next.value])
  }
  const take = async (length: number): Promise<Buffer> => {
    while (rest.length < length) await more()
    const taken = rest.subarray(0, length)
    rest = rest.subarray(length)
    return taken
  }
  const ask = async (id: string): Promise<GitObject | undefined> => {
    await program.write(Buffer.from(`${id}\n`))
    while (!rest.includes(10)) await more()
    const header = (await take(rest.indexOf(10) + 1)).toString('latin1')
    const [, type, size] = /^[0-9a-f]+ (commit|tree|blob|tag) (\d+)\n$/.exec(header) ?? []
    if (type === undefined) return undefined
    if (Number(size) > MAX_OBJECT) throw new Error('the object is too large')
    const body = (await take(Number(size) + 1)).subarray(0, -1)
    return idOf(type, body, id.length) === id ? { type, body } : undefined
  }
  return {
    async read(id) {
      if (!known.has(id)) known.set(id, await ask(id))
      return known.get(id)
    },
  }
}

const idOf = (type: string, body: Uint8Array, length: number): string =>
  createHash(length === 64 ? 'sha256' : 'sha1')
    .update(`${type} ${body.length}\0`)
    .update(body)
    .digest('hex')
