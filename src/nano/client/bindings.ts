/**
 * Which tool of the client stands behind each tool nano knows. Nano always decides between the same lines, whatever a client
 * offers: how many there are must say nothing about the answer. A call is then written for the tool the client has under
 * this name or another (`bash` for run_command, `file_path` for path), and cannot be made where there is none. Pure.
 */
import { type Wiring, wiringFor } from './parameters.ts'
import { actionsOf, meantBy } from './tools.ts'
import type { ToolSchema } from '../../protocol/model.ts'
import type { NanoCall } from '../steps/run.ts'
import { fromCommand, hasCommand, toCommand, toCommandInNewFolder } from './shell-form.ts'
import { isActing, nanoTools } from '../weights/tools.ts'

type Binding = Wiring & {
  /** The client's tool. */
  readonly name: string
  /** What it is called, or the choice it is made by. */
  readonly action: string
}

/** By the name of nano's tool. */
export type Bindings = ReadonlyMap<string, Binding>

export function bindTools(tools: readonly ToolSchema[]): Bindings {
  const candidates = tools.flatMap(actionsOf).flatMap((client) => {
    const own = meantBy(client)
    const wiring = own && wiringFor(own, client)
    return wiring ? [{ own: own.name, name: client.schema.name, action: client.action, ...wiring }] : []
  })
  return new Map(
    Array.from(nanoTools.keys()).flatMap((own) => {
      const found = candidates.filter((candidate) => candidate.own === own)
      // Of several that only look any will do; of those that act none is guessed.
      const isClear = found.length === 1 || !isActing(own)
      const bound = found.find(({ action }) => action === own) ?? (isClear ? found[0] : undefined)
      return bound ? [[own, bound] as const] : []
    }),
  )
}

/** A tool that writes a file whole needs no leave to replace one. */
const NEEDLESS = new Set(['write_file.overwrite'])

/** Without them more is shown than was asked for, which harms nothing. */
const NARROWING = new Set(['read_file.from', 'read_file.to', 'data_view.view', 'search_text.path'])

/** The call as the client's tool takes it; nothing where the client has no such tool, or not with these arguments. */
export function toClientCall(call: NanoCall, bindings: Bindings): NanoCall | undefined {
  const { name, input } = call
  const binding = bindings.get(name)
  const missing = Object.keys(input)
    .filter((key) => !binding?.has(key))
    .map((key) => `${name}.${key}`)
  const bound = binding && { name: binding.name, input: binding.toClient(input) }
  if (bound && missing.every((key) => NEEDLESS.has(key))) return bound
  const command = name === 'run_command' ? undefined : toCommand(call)
  const run =
    command === undefined ? undefined : toClientCall({ name: 'run_command', input: { command } }, bindings)
  return run ?? (missing.every((key) => NARROWING.has(key)) ? bound : undefined)
}

/** A copy or a move to a folder that is made first, in the client's shell where it has one. */
export function toNewFolder(call: NanoCall, bindings: Bindings): NanoCall | undefined {
  const command = toCommandInNewFolder(call)
  const run = command === undefined ? undefined : { name: 'run_command', input: { command } }
  return (run && toClientCall(run, bindings)) ?? toClientCall(call, bindings)
}

/** Whether the client has the tool, or a shell in which its work is one plain command. */
export const isReachable = (name: string, bindings: Bindings): boolean =>
  bindings.has(name) || (bindings.has('run_command') && hasCommand(name))

/** A call of the conversation in nano's own words. */
export function toNanoCall(call: NanoCall, bindings: Bindings): NanoCall {
  for (const [own, { name, fromClient, isCalled }] of bindings)
    if (name === call.name && isCalled(call.input)) return { name: own, input: fromClient(call.input) }
  return call
}

/** A look or a file operation that was done in the client's shell, as the call it stands for. */
export const withoutShell = (call: NanoCall): NanoCall => {
  const { command } = call.input
  return (call.name === 'run_command' && typeof command === 'string' && fromCommand(command)) || call
}
