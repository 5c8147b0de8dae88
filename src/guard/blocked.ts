/**
 * What a sandbox kept a command from. That something was refused is read from what the command printed; what a person
 * may then allow comes from the command itself, because what it prints may be written by anyone.
 */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isInside } from '../lib/path.ts'
import { AppError } from '../protocol/error.ts'
import type { Blocked, ExecResult } from '../protocol/tool.ts'
import { readCommand } from './shell/judge.ts'
import { attemptedWrites } from './permission/attempted-writes.ts'
import { type GrantContext, grantFor } from './permission/grant-for.ts'
import { absolute } from './permission/named-paths.ts'
import { readScript } from './shell/script.ts'

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
  const absent = await absentFolder(tail, context)
  if (absent !== undefined) return grantFor(context.command, absent, context)
  if (context.network || !(NETWORK.test(tail) || isSilent(result, context.command))) return undefined
  // A command that only reads has no use for a network, whatever it printed.
  return (await readCommand(context.command)).kind === 'read-only' ? undefined : { kind: 'network' }
}

/**
 * A folder outside the project is not there in the sandbox, so that writing into it fails for want of it: the path of
 * the file, where its folder exists. Reading what is not there is no reason to open anything for writing.
 */
async function absentFolder(text: string, context: BlockedCommand): Promise<string | undefined> {
  const line = text.split('\n').find((each) => /no such file or directory|\bENOENT\b/i.test(each))
  const printed = line === undefined ? undefined : pathIn(line, /([^\s:]+): no such file or directory/i)
  if (line === undefined || printed === undefined) return undefined
  const path = absolute(printed, context.cwd, context)
  const isPrivate = !isInside(context.home, path) && ['/tmp', '/var/tmp'].some((top) => isInside(top, path))
  if (isPrivate || isInside(context.cwd, path)) return undefined
  const isMeant = CREATES.test(line) || (await writtenBy(context)).includes(path)
  if (!isMeant) return undefined
  const folder = await stat(dirname(path)).catch(() => undefined)
  return folder?.isDirectory() ? printed : undefined
}

const CREATES = /cannot (?:create|touch|move)|failed to (?:create|open)|for writing|^tee: /i

async function writtenBy(context: BlockedCommand): Promise<readonly string[]> {
  const writes = await attemptedWrites(await readScript(context.command), context)
  return writes.map(({ path }) => path)
}

const SEARCHED = 16 * 1024

/** With a quiet flag, these two report only by their exit code. */
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
  const path = pathIn(line, /([^\s:]+): read-only file system/i)
  return path === undefined ? {} : { path }
}

/** Of a copy or a move the last one named is the one that is written. */
const pathIn = (line: string, unquoted: RegExp): string | undefined =>
  Array.from(line.matchAll(/['"‘`]([^'"’`]+)['"’`]/g)).at(-1)?.[1] ?? unquoted.exec(line)?.[1]
