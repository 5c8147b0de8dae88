/**
 * Commands of a call that may run only because it seems to read: each runs where nothing can be written. One that tries to
 * write after all is asked for as a write, once; with a yes it runs again, with a no the result says why.
 */
import type { Exec } from '../protocol/tool.ts'

/** Why it may not write; `undefined` when it may. */
export type AskToWrite = () => Promise<string | undefined>

export function readOnlyExec(exec: Exec, askToWrite: AskToWrite): Exec {
  return {
    ...exec,
    async shell(command, options) {
      const first = await exec.shell(command, { ...options, readsOnly: true })
      if (first.blocked?.kind !== 'read-only') return first
      const why = await askToWrite()
      if (why !== undefined) return { ...first, blocked: { kind: 'read-only', why } }
      return exec.shell(command, { ...options, readsOnly: false })
    },
    program: (argv, options) => exec.program(argv, { ...options, readsOnly: true }),
    start: (command) => exec.start(command, { readsOnly: true }),
  }
}

/** Commands of a call that the person let see git's history. */
export const historyExec = (exec: Exec): Exec => ({
  ...exec,
  shell: (command, options) => exec.shell(command, { ...options, showsHistory: true }),
  program: (argv, options) => exec.program(argv, { ...options, showsHistory: true }),
  start: (command, options) => exec.start(command, { ...options, showsHistory: true }),
})
