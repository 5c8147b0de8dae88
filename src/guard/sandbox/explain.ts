/** What the sandbox kept a command from, as far as its result shows. */
import { homedir } from 'node:os'
import type { ExecResult } from '../../protocol/tool.ts'
import { blockOf } from '../blocked.ts'
import { type ClosedHistory, explainHidden } from '../permission/history.ts'
import type { Sandbox, Terms } from './context.ts'

type Place = {
  readonly cwd: string
  readonly sandbox?: Sandbox
  readonly hidden?: readonly string[]
  readonly home?: string
  readonly history?: ClosedHistory
}

type Ran = { readonly command: string; readonly terms: Terms }

export async function explainFailure<T extends ExecResult>(
  result: T,
  { cwd, sandbox, hidden = [], home = homedir(), history }: Place,
  { command, terms: { grant, readsOnly = false, showsHistory } }: Ran,
): Promise<T> {
  if (!sandbox) return result
  const output = showsHistory ? undefined : explainHidden(result, history)
  if (output !== undefined) return { ...result, output }
  const network = sandbox.network || grant?.kind === 'network'
  const blocked = await blockOf(result, {
    cwd,
    home,
    hidden,
    closed: sandbox.closed,
    network,
    command,
    readsOnly,
  })
  return blocked ? { ...result, blocked } : result
}
