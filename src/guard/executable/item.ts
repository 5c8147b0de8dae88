/** One piece of executable configuration as it is on the disk, and which parts of it count. Reads only. */
import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isInside } from '../../lib/path.ts'
import { readRegularSync } from '../../lib/read-regular.ts'
import { parseGitConfig, settingText } from './git-config.ts'
import { isHarmlessSetting } from './git-settings.ts'
import type { Executable } from './table.ts'

export type Item = {
  /** Absolute; none of its parents is a link. */
  readonly path: string
  readonly entry: Executable
  readonly kind: 'file' | 'link' | 'other'
  readonly stamp: string
  /** Another change may have the same time. */
  readonly isRacy: boolean
  /** What some program would run or obey; nothing for content that is harmless. */
  readonly parts: readonly string[]
  readonly mode: number
  /** Of a file that is small enough to be put back. */
  readonly content?: Buffer
  /** Of a link. */
  readonly target?: string
}

/** Configuration is small; what is larger is compared by its times and cannot be put back. */
const MAX_BYTES = 1024 * 1024
/** File systems keep time in ticks. */
const TICK_NS = 40_000_000n
/** What changed since may change again without a new time: a process that has it mapped into its memory writes unseen. */
const STARTED_NS = BigInt(Date.now()) * 1_000_000n

export type Reading = {
  readonly entry: Executable
  /** The project. */
  readonly root: string
  /** As it was when last read. */
  readonly known?: Item | undefined
}

/** Nothing for what is missing or a folder. */
export function readItem(path: string, { entry, root, known }: Reading): Item | undefined {
  const info = lookAt(path)
  if (info === undefined || info.isDirectory()) return undefined
  const stamp = `${info.dev}:${info.ino}:${info.size}:${info.mode}:${info.mtimeNs}:${info.ctimeNs}`
  const common = { path, entry, stamp, mode: Number(info.mode) & 0o7777, isRacy: isRacy(info) }
  if (info.isSymbolicLink()) return { ...common, kind: 'link', ...readLink(path, root) }
  if (known?.stamp === stamp && !known.isRacy && known.entry === entry) return known
  if (!info.isFile()) return { ...common, kind: 'other', parts: ['special file'] }
  const content = readRegularSync(path, MAX_BYTES)?.bytes
  if (!content) return { ...common, kind: 'file', parts: [`unread ${stamp}`] }
  const parts = partsOf(content, { path, entry, root, mode: common.mode })
  return { ...common, kind: 'file', parts, content }
}

export function lookAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const isRacy = ({ ctimeNs }: BigIntStats): boolean => ctimeNs > STARTED_NS - TICK_NS

type Content = {
  readonly path: string
  readonly entry: Executable
  readonly root: string
  readonly mode: number
}

function partsOf(content: Buffer, { path, entry, root, mode }: Content): readonly string[] {
  const { counts } = entry
  if (counts === undefined) return [`${(mode & 0o111) === 0 ? '-' : 'x'} ${hashOf(content)}`]
  const text = content.toString('utf8')
  if (counts === 'git-link') return linkParts(text, path, root)
  if (counts === 'git-config') return configParts(text, dirname(path), root)
  return counts(text)
}

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** What git would run or read by these settings. A text that git refuses may be read otherwise by another version. */
function configParts(text: string, folder: string, root: string): readonly string[] {
  const { settings, bad } = parseGitConfig(text)
  const staysInside = (path: string): boolean => isInside(root, resolve(folder, path))
  const counting = settings.filter((setting) => !isHarmlessSetting(setting, staysInside))
  return [
    ...counting.map(settingText),
    ...(bad.length > 0 ? [`unreadable ${hashOf(Buffer.from(text))}`] : []),
  ]
}

/** `gitdir: …`: a linked worktree or submodule leads into the repository it belongs to; anything else counts. */
function linkParts(text: string, path: string, root: string): readonly string[] {
  const target = /^gitdir: (.*?)\s*$/s.exec(text)?.[1]
  if (target === undefined) return [`unreadable ${hashOf(Buffer.from(text))}`]
  const folder = resolve(dirname(path), target)
  const own = /^(.*)\/\.git\/(?:worktrees\/[^/]+|modules\/.+)$/s.exec(folder)?.[1]
  const isOwn = own !== undefined && (isInside(root, own) || isInside(own, root)) && realOf(folder) === folder
  return isOwn ? [] : [`gitdir ${folder}`]
}

export function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** With what it leads to: that may change while the link stays as it is. */
function readLink(path: string, root: string): Pick<Item, 'parts' | 'target'> {
  const target = readTarget(path)
  const real = realOf(path)
  if (real === undefined || !isInside(root, real) || real === root) {
    return { target, parts: [`link ${target}`] }
  }
  return { target, parts: [`link ${target} ${digestOf(real, { left: MAX_BELOW })}`] }
}

function readTarget(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** So many files are compared by what they hold, the rest by their times. */
const MAX_BELOW = 500

function digestOf(path: string, budget: { left: number }): string {
  const info = lookAt(path)
  if (info === undefined) return ''
  if (!info.isDirectory()) {
    const content = info.isFile() && budget.left-- > 0 ? readRegularSync(path, MAX_BYTES) : undefined
    return content ? hashOf(content.bytes) : `${info.ino} ${info.size} ${info.ctimeNs}`
  }
  const below = namesIn(path).map((name) => `${name} ${digestOf(join(path, name), budget)}`)
  return hashOf(Buffer.from(below.join('\n')))
}

export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

/** For a person, from the project where it lies in it. */
export const shownPath = (path: string, root: string): string =>
  isInside(root, path) ? path.slice(root.length + 1) || basename(path) : path
