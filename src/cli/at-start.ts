/** What a person at a terminal is shown and asked while the program opens: one status line, and questions one by one. */
import { createInterface } from 'node:readline/promises'
import { cleanControl } from '../lib/clean.ts'
import type { AtStart } from '../protocol/start.ts'
import type { CommandIo } from './command.ts'
import { readLine } from './read-line.ts'
import { REDRAW } from './safe-io.ts'

/** A short wait needs no words. */
const FIRST_MS = 800
const REDRAW_MS = 100

/** Programs (`json`) and pipes see nothing and are asked nothing: warnings tell them what came of it. */
export function createAtStart(
  io: CommandIo,
  { json, now = () => performance.now() }: { readonly json: boolean; now?(): number },
): AtStart {
  if (!io.isTty || json) return { status: () => {} }
  let since: number | undefined
  let drawn: number | undefined
  return {
    status(text) {
      if (text === undefined) {
        if (drawn !== undefined) io.err(REDRAW)
        since = drawn = undefined
        return
      }
      since ??= now()
      if (now() - since < FIRST_MS || now() - (drawn ?? 0) < REDRAW_MS) return
      drawn = now()
      io.err(`${REDRAW}${cleanControl(text)}`)
    },
    confirm: (question) => confirmAt(io, question),
  }
}

async function confirmAt(io: CommandIo, question: string): Promise<boolean> {
  io.err(`${cleanControl(question)}\n`)
  const terminal = createInterface({ input: io.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await readLine(terminal, '[y]es, anything else is no: ')) ?? '')
  } finally {
    terminal.close()
  }
}
