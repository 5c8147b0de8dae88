/** A machine in a process of its own, which can be killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { NatsOptions } from '../../../src/federation/nats/open.ts'
import { childProgram } from '../../support/child.ts'

export type MachineOrder = {
  readonly options: Omit<NatsOptions, 'log' | 'offer' | 'isTrusted'>
  /** How long it takes for one word. */
  readonly wordMs: number
}

/** Returns once it takes jobs. */
export async function startMachine(order: MachineOrder): Promise<ChildProcess> {
  const program = await childProgram(new URL('child.ts', import.meta.url))
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the machine ended with ${String(code)} before it was ready`)
  })
  await Promise.race([once(child.stdout, 'data'), failed])
  failed.catch(() => undefined)
  return child
}

export async function killMachine(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
