/** What a person at a terminal looks up in the project: paths to complete, files to put into a message. */
import type { Lease } from '../protocol/arm.ts'
import type { Exec, Files } from '../protocol/tool.ts'
import { definedName } from '../lib/definitions.ts'
import { listProject } from '../lib/list-project.ts'
import { plural } from '../lib/text.ts'
import { AppError } from '../protocol/error.ts'

export type Look = {
  files(): Promise<readonly string[]>
  /**
   * A file as it goes into a message: whole, or what it defines where that is too much; `path:10-20` is these lines. Nothing
   * where it cannot be read; throws `request-invalid` for lines that it does not have.
   */
  mention(path: string): Promise<Mention | undefined>
}

type Mention = {
  /** Without lines, and without what ends a sentence. */
  readonly path: string
  readonly text: string
  readonly tokens: number
  readonly isOutline: boolean
  /** Which lines, where not all of them. */
  readonly part?: string
}

type LookParts = {
  /** Secrets hidden, closed paths closed. */
  readonly files: Files
  readonly exec: Pick<Exec, 'program'>
  measure(): Lease
}

/** The share of the window that one file may take. */
const SHARE = 0.3
const LIST_MS = 3_000

export const createLook = ({ files, exec, measure }: LookParts): Look => ({
  async files() {
    const limit = AbortSignal.timeout(LIST_MS)
    return (await listProject({ files, exec, timeoutMs: LIST_MS }, limit)).paths
  },
  async mention(wish) {
    const found = await findMentioned(wish, files)
    if (!found) return undefined
    const lease = measure()
    const room = lease.arm.capabilities.window * SHARE
    const { path, content, range } = found
    if (range) return mentionLines(found, range, { room, count: lease.countTokens })
    const whole = `The file ${path}:\n${content}`
    const isOutline = lease.countTokens(whole) > room
    const text = isOutline ? `The file ${path} is long. What it defines:\n${outline(content)}` : whole
    return { path, text, tokens: lease.countTokens(text), isOutline }
  },
})

type Range = { readonly from: number; readonly to: number }
type Found = { readonly path: string; readonly content: string; readonly range?: Range }

/** A file that is really called `a:10` comes before line 10 of `a`; a comma or full stop behind a path ends the sentence. */
async function findMentioned(wish: string, files: Files): Promise<Found | undefined> {
  for (const path of new Set([wish, wish.replace(/[),.;:!?'"]+$/, '')])) {
    const content = await read(path, files)
    if (content !== undefined) return { path, content }
    const [, name = '', from = '', to = from] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(path) ?? []
    const part = name === '' ? undefined : await read(name, files)
    if (part !== undefined)
      return { path: name, content: part, range: { from: Number(from), to: Number(to) } }
  }
  return undefined
}

const read = (path: string, files: Files): Promise<string | undefined> =>
  files.read(path).catch(() => undefined)

type Room = { readonly room: number; count(text: string): number }

function mentionLines({ path, content }: Found, { from, to }: Range, { room, count }: Room): Mention {
  const lines = content.replace(/\n$/, '').split('\n')
  if (from < 1 || from > to || from > lines.length)
    throw new AppError(
      'request-invalid',
      `${path} has ${plural(lines.length, 'line')}, ${from}-${to} ${from > to ? 'ends before it begins' : 'is outside of them'}; write @${path}:1-${lines.length} or less.`,
    )
  const textTo = (last: number): string => {
    const shown = lines.slice(from - 1, last).map((line, at) => `${from + at}\t${line}`)
    return `Lines ${from}-${last} of ${lines.length} of the file ${path}:\n${shown.join('\n')}`
  }
  let last = Math.min(to, lines.length)
  // Halved: counting tokens line by line takes too long in a file of a million lines.
  while (last > from && count(textTo(last)) > room) last = from + Math.floor((last - from) / 2)
  const text = textTo(last)
  const part = `lines ${from}-${last} of ${lines.length}`
  return { path, text, tokens: count(text), isOutline: false, part }
}

const MOST_LINES = 200

/** With line numbers, so that the rest can be read where it matters. */
const outline = (content: string): string => {
  const lines = content.split('\n').map((line, index) => ({ line, number: index + 1 }))
  const defining = lines.filter(({ line }) => definedName(line) !== undefined)
  const shown = defining.length > 0 ? defining : lines
  return shown
    .slice(0, MOST_LINES)
    .map(({ line, number }) => `${number}\t${line.trimEnd().slice(0, 120)}`)
    .join('\n')
}
