/**
 * What a sandbox kept a command from, read from what the command printed: programs say it in many ways, but they say it.
 * Naming the one permission that would help keeps a model from trying the same again in other words.
 */
import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, resolve } from 'node:path'
import { AppError } from '../protocol/error.ts'
import type { Blocked, ExecResult } from '../protocol/tool.ts'
import { isInside } from '../lib/path.ts'
import { protectionOf } from './protected-names.ts'

export type BlockContext = { readonly cwd: string; readonly network: boolean }

export type BlockedCommand = BlockContext & { readonly command: string }

/** Nothing for a command that succeeded; throws when the sandbox itself did not start. */
export async function blockOf(result: ExecResult, context: BlockedCommand): Promise<Blocked | undefined> {
  if (result.exitCode === 0 || result.timedOut) return undefined
  if (result.exitCode === 1 && /^(?:bwrap|nsenter|setpriv): .*\n?$/.test(result.output)) {
    throw new AppError(
      'tool-failed',
      `The sandbox could not start, so nothing was run: ${result.output.trim()}`,
    )
  }
  const block = findBlock(result.output, context) ?? findSilent(result, context)
  if (block?.kind !== 'write' || isInside(context.cwd, block.path)) return block
  return { kind: 'write', path: await existing(block.path) }
}

/** Told to be quiet, these two say it by their exit code alone. */
function findSilent(
  { exitCode = 0, output }: ExecResult,
  { network, command }: BlockedCommand,
): Blocked | undefined {
  if (network || output.trim() !== '') return undefined
  const isCut =
    (/\bcurl\b/.test(command) && [5, 6, 7, 28].includes(exitCode)) ||
    (/\bwget\b/.test(command) && exitCode === 4)
  return isCut ? { kind: 'network' } : undefined
}

/** Outside the workspace, what is to be made can only be allowed as part of a folder that exists. */
const existing = (path: string): Promise<string> =>
  stat(path).then(
    () => path,
    () => (dirname(path) === path ? path : existing(dirname(path))),
  )

export function findBlock(output: string, { cwd, network }: BlockContext): Blocked | undefined {
  // The reason stands near the end; a long output is not searched for words that may mean anything.
  const tail = output.slice(-SEARCHED)
  const path = readOnlyPath(tail)
  if (path !== undefined) {
    const place = isAbsolute(path) ? path : resolve(cwd, path)
    return protectionOf(place) === 'secret' ? undefined : { kind: 'write', path: place }
  }
  return !network && NETWORK.test(tail) ? { kind: 'network' } : undefined
}

const SEARCHED = 16 * 1024

const NETWORK =
  /could not resolve|couldn't resolve|unable to resolve|temporary failure in name resolution|name or service not known|name resolution|nodename nor servname|network is unreachable|network is down|no route to host|\bENETUNREACH\b|\bEAI_AGAIN\b|\bENOTFOUND\b|\bEHOSTUNREACH\b|failed to lookup address|errno 101\b|failed to connect to (?!localhost|127\.|::1)|dial tcp: lookup|failed to fetch https?:|could not connect to the index/i

/** `touch: cannot touch '/x': Read-only file system`, `EROFS: read-only file system, open '/x'`, and the like. */
function readOnlyPath(text: string): string | undefined {
  // A covered file cannot be replaced either; git says so of its configuration.
  const busy = /could not (?:write|lock) config file (\S+): Device or resource busy/.exec(text)?.[1]
  if (busy !== undefined) return busy
  const line = text.split('\n').find((each) => /read-only file system/i.test(each))
  if (line === undefined) return undefined
  // Of a copy or a move the last one named is the one that is written.
  const quoted = Array.from(line.matchAll(/['"‘`]([^'"’`]+)['"’`]/g)).at(-1)?.[1]
  return quoted ?? /([^\s:]+): read-only file system/i.exec(line)?.[1]
}
