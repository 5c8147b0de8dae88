/**
 * What a sandbox kept a command from. That something was refused is read from what the command printed; what a person may
 * then allow comes from the command itself, because what it prints may be written by anyone.
 */
import { AppError } from '../protocol/error.ts'
import type { Blocked, ExecResult } from '../protocol/tool.ts'
import { readCommand } from './judge-command.ts'
import { type GrantContext, grantFor } from './permission/grant-for.ts'

export type BlockedCommand = GrantContext & {
  readonly network: boolean
  readonly command: string
  /** It ran where nothing can be written. */
  readonly readsOnly?: boolean
}

/** Nothing for a command that succeeded; throws when the sandbox itself did not start. */
export async function blockOf(result: ExecResult, context: BlockedCommand): Promise<Blocked | undefined> {
  if (result.exitCode === 0 || result.timedOut) return undefined
  if (result.exitCode === 1 && /^(?:bwrap|nsenter|setpriv): .*\n?$/.test(result.output)) {
    throw new AppError(
      'tool-failed',
      `The sandbox could not start, so nothing was run: ${result.output.trim()}`,
    )
  }
  // The reason stands near the end; a long output is not searched for words that may mean anything.
  const tail = result.output.slice(-SEARCHED)
  const refused = refusedWrite(tail)
  if (context.readsOnly) return refused ? { kind: 'read-only' } : undefined
  if (refused) return grantFor(context.command, refused.path, context)
  if (context.network || !(NETWORK.test(tail) || isSilent(result, context.command))) return undefined
  // A command that only reads has no use for a network, whatever it printed.
  return (await readCommand(context.command)).kind === 'read-only' ? undefined : { kind: 'network' }
}

const SEARCHED = 16 * 1024

/** Told to be quiet, these two say it by their exit code alone. */
function isSilent({ exitCode = 0, output }: ExecResult, command: string): boolean {
  if (output.trim() !== '') return false
  return (
    (/\bcurl\b/.test(command) && [5, 6, 7, 28].includes(exitCode)) ||
    (/\bwget\b/.test(command) && exitCode === 4)
  )
}

const NETWORK =
  /could not resolve|couldn't resolve|unable to resolve|temporary failure in name resolution|name or service not known|name resolution|nodename nor servname|network is unreachable|network is down|no route to host|\bENETUNREACH\b|\bEAI_AGAIN\b|\bENOTFOUND\b|\bEHOSTUNREACH\b|failed to lookup address|errno 101\b|failed to connect to (?!localhost|127\.|::1)|dial tcp: lookup|failed to fetch https?:|could not connect to the index/i

/** `touch: cannot touch '/x': Read-only file system`, `EROFS: read-only file system, open '/x'`, and the like. */
export function refusedWrite(text: string): { readonly path?: string } | undefined {
  // A covered file cannot be replaced either; git says so of its configuration.
  const busy = /could not (?:write|lock) config file (\S+): Device or resource busy/.exec(text)?.[1]
  if (busy !== undefined) return { path: busy }
  const line = text.split('\n').find((each) => /read-only file system|\bEROFS\b/i.test(each))
  if (line === undefined) return undefined
  // Of a copy or a move the last one named is the one that is written.
  const quoted = Array.from(line.matchAll(/['"‘`]([^'"’`]+)['"’`]/g)).at(-1)?.[1]
  const path = quoted ?? /([^\s:]+): read-only file system/i.exec(line)?.[1]
  return path === undefined ? {} : { path }
}
