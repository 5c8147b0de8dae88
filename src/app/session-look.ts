/** What a person at a terminal looks up in the project: paths to complete, files to put into a message. */
import type { Lease } from '../protocol/arm.ts'
import type { Exec, Files } from '../protocol/tool.ts'
import { definedName } from '../lib/definitions.ts'
import { listProject } from '../lib/list-project.ts'

export type Look = {
  files(): Promise<readonly string[]>
  /** A file as it goes into a message: whole, or what it defines where that is too much. Nothing where it cannot be read. */
  mention(path: string): Promise<Mention | undefined>
}

type Mention = { readonly text: string; readonly tokens: number; readonly isOutline: boolean }

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
  async mention(path) {
    const content = await files.read(path).catch(() => undefined)
    if (content === undefined) return undefined
    const lease = measure()
    const room = lease.arm.capabilities.window * SHARE
    const whole = `The file ${path}:\n${content}`
    const isOutline = lease.countTokens(whole) > room
    const text = isOutline ? `The file ${path} is long. What it defines:\n${outline(content)}` : whole
    return { text, tokens: lease.countTokens(text), isOutline }
  },
})

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
