/**
 * Which files a repository knows, and by which contents: its index, read without git, which would run configured
 * commands.
 */
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The hash of the contents by path, relative to the top of the working tree. */
type KnownFiles = ReadonlyMap<string, string>

export type GitIndex = { readonly files: KnownFiles; readonly algorithm: 'sha1' | 'sha256' }

const LARGEST = 64 * 1024 ** 2

/** Empty where there is none, or one that cannot be read. */
export function readIndex(repository: string, common: string = repository): GitIndex {
  const algorithm = /^\s*objectformat\s*=\s*sha256\s*$/im.test(
    readPlain(join(common, 'config')).toString('utf8'),
  )
    ? 'sha256'
    : 'sha1'
  try {
    const bytes = readPlain(join(repository, 'index'))
    return { files: parseIndex(bytes, algorithm === 'sha1' ? 20 : 32), algorithm }
  } catch {
    return { files: new Map(), algorithm }
  }
}

/** A link, a device or something huge is not an index. */
function readPlain(path: string): Buffer {
  const info = lstatSync(path, { throwIfNoEntry: false })
  return info?.isFile() && info.size <= LARGEST ? readFileSync(path) : Buffer.alloc(0)
}

const STAT_BYTES = 40
const EXTENDED = 0x4000

function parseIndex(bytes: Buffer, hashBytes: number): KnownFiles {
  const files = new Map<string, string>()
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return files
  const version = bytes.readUInt32BE(4)
  const count = bytes.readUInt32BE(8)
  let at = 12
  let last = ''
  for (let entry = 0; entry < count; entry++) {
    const start = at
    const hash = bytes.toString('hex', at + STAT_BYTES, at + STAT_BYTES + hashBytes)
    at += STAT_BYTES + hashBytes
    at += (bytes.readUInt16BE(at) & EXTENDED) !== 0 ? 4 : 2
    let kept = ''
    if (version === 4) {
      const { value, next } = readNumber(bytes, at)
      kept = last.slice(0, last.length - value)
      at = next
    }
    const end = bytes.indexOf(0, at)
    if (end < 0) return files
    // Byte for byte, or a letter of two bytes would be cut in the middle.
    last = kept + bytes.toString('latin1', at, end)
    at = version === 4 ? end + 1 : start + ((end - start) & ~7) + 8
    files.set(Buffer.from(last, 'latin1').toString('utf8'), hash)
  }
  return files
}

/** Git's own way to write numbers of any size. */
function readNumber(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let byte = bytes.readUInt8(at)
  let value = byte & 127
  let next = at + 1
  while ((byte & 128) !== 0) {
    byte = bytes.readUInt8(next++)
    value = (value + 1) * 128 + (byte & 127)
  }
  return { value, next }
}

/** Whether a file holds what the index says, line ends aside. */
export function holdsContent(path: string, hash: string, algorithm: GitIndex['algorithm']): boolean {
  const content = readPlain(path)
  const isIt = (bytes: Buffer): boolean =>
    createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === hash
  return isIt(content) || isIt(Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'))
}
