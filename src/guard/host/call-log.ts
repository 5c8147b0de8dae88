/**
 * One line for each call that a tool host ran or refused: who asked, for what, what the guard said, how much came back and how
 * long it took. Neither contents nor secrets get in: of a command only its first line, of an address neither a password nor a
 * query, and what is left has passed the firewall.
 */
import { stat, rename } from 'node:fs/promises'
import { cleanControl } from '../../lib/clean.ts'
import { clip } from '../../lib/text.ts'
import type { Access } from '../../protocol/tool.ts'
import type { HostedResult } from '../../protocol/tool-host.ts'

export type HostedCallLine = {
  /** A token's name, or a machine's name and the beginning of its id. */
  readonly client: string
  readonly workspace: string
  readonly tool: string
  /** What it was about: paths, the first line of a command, an address. */
  readonly target: string
  /** `invalid`: it never came to the guard, because the call itself was wrong. */
  readonly verdict: 'allowed' | 'denied' | 'invalid'
  /** Why it failed; absent where it did not. */
  readonly code?: string
  /** Of the result. */
  readonly bytes: number
  readonly ms: number
}

export type LogCall = (line: HostedCallLine) => void

export type RanCall = Pick<HostedCallLine, 'client' | 'workspace' | 'tool' | 'ms'> & {
  /** Absent where the call was wrong. */
  readonly access?: readonly Access[]
  readonly result: HostedResult
  /** The firewall of the client. */
  outgoing(text: string): Promise<string>
}

export async function toCallLine({ access, result, outgoing, ...call }: RanCall): Promise<HostedCallLine> {
  const plain = (text: string): string => cleanControl(clip(text, MAX_TEXT))
  const target = clip((access ?? []).map(targetOf).join(', '), MAX_LOOKED_AT)
  const { code, text } = result
  return {
    client: plain(call.client),
    workspace: plain(call.workspace),
    tool: plain(await outgoing(call.tool)),
    target: plain(await outgoing(target)),
    verdict: code === 'denied' ? 'denied' : access ? 'allowed' : 'invalid',
    ...(code !== undefined && { code }),
    bytes: Buffer.byteLength(text),
    ms: Math.round(call.ms),
  }
}

const MAX_TEXT = 200
/** Longer than what is shown: a secret that is cut in two would not be seen as one. */
const MAX_LOOKED_AT = 4_000

function targetOf({ kind, target }: Access): string {
  if (kind === 'fetch') return withoutQuery(target)
  // What follows may be a whole file.
  const [first = '', ...more] = target.split('\n')
  return more.length > 0 ? `${first} …` : first
}

function withoutQuery(target: string): string {
  try {
    const { protocol, host, pathname } = new URL(target)
    return `${protocol}//${host}${pathname}`
  } catch {
    return target.split(/[?#]/, 1)[0] ?? ''
  }
}

const MAX_BYTES = 10 * 1024 * 1024

/** A log that has grown is laid aside when a host starts; the one before it leaves. */
export async function beginLog(path: string): Promise<string> {
  const info = await stat(path).catch(() => undefined)
  if (info && info.size > MAX_BYTES) await rename(path, `${path}.1`)
  return path
}
