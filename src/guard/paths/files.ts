/**
 * The project's files, as tools reach them. Every call is judged by `contain.ts` and judged again on the opened handle,
 * because a link may have been put in the way in between. Messages are written for a model: what is wrong, what to do.
 */
import { realpathSync } from 'node:fs'
import { constants, type FileHandle, lstat, mkdir, open, readdir, realpath, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError, errorMessage } from '../../protocol/error.ts'
import type { Rule } from '../../protocol/guard.ts'
import type { FileInfo, Files } from '../../protocol/tool.ts'
import { errnoOf, writeAtomic } from '../../lib/atomic-write.ts'
import { inHeldFolder, MovedFolder } from '../../lib/held-folder.ts'
import { toPosix } from '../../lib/path.ts'
import { looksBinary } from '../../lib/text.ts'
import { containPath } from './contain.ts'
import { createGrants, type Grants, type Operation } from '../permission/grants.ts'
import { isOwnName, isOwnPath } from '../permission/own-paths.ts'
import { closingRule, pathNames } from '../permission/rules.ts'

export type FilesParts = {
  readonly root: string
  /** Further folders that tools may reach by absolute path. */
  readonly roots?: readonly string[]
  /** Protected paths the person opened. */
  readonly grants?: Grants
  /** Those that deny a path close it here as well, for tools that come across it on their way. */
  readonly rules?: readonly Rule[]
  /** Names that decide what runs later may be written without a yes of their own. */
  readonly lifted?: boolean
  /** Covey's own folders, closed to every tool wherever the root is. */
  readonly own?: readonly string[]
  /** Whether a file with a harmless name is run unprompted; absent = only names count. */
  obeys?(real: string): Promise<boolean>
  /** The most that may be written in all; a run that fills the disk ends here first. */
  readonly quotaBytes?: number
}

const MAX_BYTES = 1024 * 1024
const QUOTA_BYTES = 5 * 1024 ** 3
/** How much of a stream is in memory at once. */
const PIECE = 256 * 1024

export function createFiles(parts: FilesParts): Files {
  const { grants = createGrants(), quotaBytes = QUOTA_BYTES } = parts
  let written = 0
  const root = realpathSync(resolve(parts.root))
  const gate = toGate(parts, root, grants)
  const place = (path: string, operation: Operation): Promise<string> => requirePlace(path, operation, gate)

  return {
    root,
    async read(path, signal) {
      const real = await place(path, 'read')
      const handle = await openFile(real, path)
      try {
        return await readText(handle, path, signal)
      } finally {
        await handle.close()
        grants.spend(real, 'read')
      }
    },
    async *stream(path, signal) {
      const real = await place(path, 'read')
      const handle = await openFile(real, path)
      try {
        await requireFile(handle, path)
        yield* handle.createReadStream({ autoClose: false, highWaterMark: PIECE, ...(signal && { signal }) })
      } finally {
        await handle.close()
        grants.spend(real, 'read')
      }
    },
    async write(path, text) {
      const real = await place(path, 'write')
      const bytes = Buffer.byteLength(text)
      if (written + bytes > quotaBytes) throw overQuota(path, quotaBytes)
      await writeInside(real, { path, text })
      written += bytes
      grants.spend(real, 'write')
    },
    async remove(path) {
      const real = await place(path, 'write')
      await inFolder(dirname(real), path, (parent) => unlink(join(parent, basename(real))))
      grants.spend(real, 'write')
    },
    info: async (path) => infoOf(await place(path, 'read')),
    list: async (path) => listFolder(await place(path, 'read'), path),
  }
}

type Gate = Required<Pick<FilesParts, 'roots' | 'rules' | 'grants' | 'lifted' | 'own'>> &
  Pick<FilesParts, 'obeys'>

const toGate = (parts: FilesParts, root: string, grants: Grants): Gate => ({
  roots: [root, ...(parts.roots ?? [])],
  rules: parts.rules ?? [],
  grants,
  lifted: parts.lifted ?? false,
  own: parts.own ?? [],
  ...(parts.obeys && { obeys: parts.obeys }),
})

async function requirePlace(path: string, operation: Operation, gate: Gate): Promise<string> {
  const { roots, rules, grants, lifted, own } = gate
  const { ok, real, why, protected: protection } = await containPath(path, { ...gate, operation })
  const refuse = (reason: string): AppError => {
    const verb = operation === 'read' ? 'read' : 'written'
    return new AppError('permission-denied', `${path} cannot be ${verb}: ${reason}.`, { failure: 'denied' })
  }
  const names = pathNames(path, real, roots)
  const rule = closingRule({ names, root: roots[0] ?? '/' }, operation, rules)
  if (rule) throw refuse(`the rule "${rule.tool} ${rule.pattern}" denies it`)
  if (real !== undefined && isOwnPath(real, own))
    throw refuse("it belongs to Covey's own configuration or data")
  const isLifted = lifted && protection === 'governance' && !names.some(isOwnName)
  const isOpened =
    protection !== undefined && real !== undefined && (isLifted || grants.covers(real, operation))
  if ((ok || isOpened) && real !== undefined) return real
  throw refuse(why ?? 'it could not be judged')
}

/** `real` is free of links; a link that appears now is refused, and a pipe does not make us wait. */
async function openFile(real: string, path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const handle = await attempt(path, () => open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
  try {
    await verifyHandle(handle, real, path)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** What was opened must be what still stands at the judged path. */
async function verifyHandle(handle: FileHandle, real: string, path: string): Promise<void> {
  const [opened, standing, where] = await Promise.all([handle.stat(), lstat(real), realpath(real)])
  if (where === real && opened.ino === standing.ino && opened.dev === standing.dev) return
  throw wasMoved(path)
}

const wasMoved = (path: string): AppError =>
  new AppError('permission-denied', `${path} was moved while it was opened; try again.`, {
    failure: 'denied',
  })

async function readText(handle: FileHandle, path: string, signal?: AbortSignal): Promise<string> {
  const { size } = await requireFile(handle, path)
  if (size > MAX_BYTES) throw tooLarge(path, size)
  const bytes = await readBounded(handle, signal)
  if (bytes.length > MAX_BYTES) throw tooLarge(path, bytes.length)
  if (looksBinary(bytes)) {
    throw new AppError('tool-failed', `${path} is a binary file (${bytes.length} bytes), not text.`)
  }
  return decode(bytes, path)
}

async function requireFile(handle: FileHandle, path: string): Promise<{ readonly size: number }> {
  const info = await handle.stat()
  if (info.isDirectory()) throw isFolder(path)
  if (!info.isFile()) throw new AppError('tool-failed', `${path} is not a regular file; it cannot be read.`)
  return info
}

/** A file that grows while it is read must not take all memory. */
async function readBounded(handle: FileHandle, signal?: AbortSignal): Promise<Buffer> {
  // A stream that starts aborted fails without a listener.
  signal?.throwIfAborted()
  const chunks: Buffer[] = []
  const stream = handle.createReadStream({ end: MAX_BYTES, autoClose: false, ...(signal && { signal }) })
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const isFolder = (path: string): AppError =>
  new AppError('tool-failed', `${path} is a folder; use list_files.`)

const overQuota = (path: string, quota: number): AppError =>
  new AppError(
    'permission-denied',
    `${path} was not written: this session has written ${(quota / 1024 ** 3).toFixed(1)} GiB, which is its limit. ` +
      'The person can begin a new session.',
    { failure: 'denied' },
  )

const tooLarge = (path: string, bytes: number): AppError =>
  new AppError(
    'tool-failed',
    `${path} has ${(bytes / 1024 / 1024).toFixed(1)} MiB, the limit is 1 MiB; use search_text, or run_command with head, tail or sed.`,
  )

/** Bytes that are no UTF-8 would come back changed when the file is written; better not to begin. */
function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new AppError('tool-failed', `${path} is not UTF-8 text; convert it first, for example with iconv.`)
  }
}

type Write = { readonly path: string; readonly text: string }

async function writeInside(real: string, { path, text }: Write): Promise<void> {
  const info = await infoOf(real)
  if (info?.kind === 'folder') throw isFolder(path)
  if (info?.kind === 'other') throw new AppError('tool-failed', `${path} is not a regular file.`)
  const folder = dirname(real)
  await attempt(path, () => mkdir(folder, { recursive: true }))
  await inFolder(folder, path, (parent) =>
    writeAtomic(join(parent, basename(real)), text, info ? { mode: info.mode } : {}),
  )
}

const inFolder = <T>(folder: string, path: string, act: (folder: string) => Promise<T>): Promise<T> =>
  attempt(path, () => inHeldFolder(folder, act))

async function infoOf(real: string): Promise<FileInfo | undefined> {
  try {
    const info = await lstat(real)
    const kind = info.isFile() ? 'file' : info.isDirectory() ? 'folder' : 'other'
    return { kind, bytes: info.size, mode: info.mode & 0o7777 }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '')) return undefined
    throw error
  }
}

async function listFolder(real: string, path: string): Promise<readonly string[]> {
  const entries = await inFolder(real, path, (folder) => readdir(folder, { withFileTypes: true }))
  return entries
    .map((entry) => toPosix(entry.name) + (entry.isDirectory() ? '/' : ''))
    .toSorted((a, b) => (a < b ? -1 : 1))
}

/** Says what the disk refused in words a model can act on. */
async function attempt<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw toAppError(path, error)
  }
}

function toAppError(path: string, error: unknown): AppError {
  if (error instanceof MovedFolder) return wasMoved(path)
  const cause = error instanceof AppError && error.cause !== undefined ? error.cause : error
  const code = errnoOf(cause)
  if (code === 'ENOENT') {
    const message = `${path} does not exist; list_files and find_files show what does.`
    return new AppError('tool-failed', message, { failure: 'missing-path', cause })
  }
  const text = MESSAGES[code ?? ''] ?? errorMessage(cause)
  return new AppError('tool-failed', `${path}: ${text}`, { cause })
}

const MESSAGES: Readonly<Record<string, string>> = {
  ENOTDIR: 'one of its parents is a file, or it is a file and not a folder.',
  EISDIR: 'is a folder; use list_files.',
  ELOOP: 'a link was put in its place while it was opened; try again.',
  EACCES: 'the system does not permit it; the person can change its mode or owner.',
  EPERM: 'the system does not permit it; the person can change its mode or owner.',
  EROFS: 'the file system is read-only.',
  ENOSPC: 'no space is left on the disk; what was there before is kept.',
  ENXIO: 'is not a regular file; it cannot be read.',
  ENAMETOOLONG: 'the name is too long.',
}
