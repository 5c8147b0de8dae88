/** The user's lines, in this order: answers to questions, replies to a list, the next prompt. */
import type { Interface } from 'node:readline'

export type Lines = {
  /** The next line that answers nothing else, typed now or while an answer came; nothing at the end of the input. */
  next(prompt: string): Promise<string | undefined>
  ask(question: string, signal: AbortSignal): Promise<string>
  /** The next line is for this, and not a prompt. */
  once(prompt: string, take: (line: string) => void): void
  /** Nothing is read while something else has the terminal. */
  lend(work: () => Promise<void>): Promise<void>
  close(): void
}

type Waiting = { take(line: string | undefined): void }

type Asking = { resolve(line: string): void; reject(error: unknown): void; readonly signal: AbortSignal }

const MOST_TYPED = 100

export function createLines(input: Interface, out: (text: string) => void): Lines {
  const typed: string[] = []
  const questions: Waiting[] = []
  let reader: (Waiting & { readonly prompt: string }) | undefined
  let isOver = false
  input.on('line', (line) => {
    const asked = questions.shift()
    const waiting = asked ?? reader
    if (!asked) reader = undefined
    if (waiting) waiting.take(line)
    if (asked && reader && questions.length === 0) out(reader.prompt)
    if (!waiting && typed.length < MOST_TYPED) typed.push(line)
  })
  input.on('close', () => {
    isOver = true
    for (const asked of questions.splice(0)) asked.take(undefined)
    reader?.take(undefined)
  })
  const question = (waiting: Waiting, text: string): void => {
    out(text)
    if (isOver) waiting.take(undefined)
    else questions.push(waiting)
  }
  // What was typed before the question was asked is no answer to it.
  const asking = ({ resolve, reject, signal }: Asking, text: string): void => {
    const take = (line: string | undefined): void =>
      line === undefined ? reject(new Error('the input has ended')) : resolve(line)
    const waiting = { take }
    question(waiting, text)
    signal.addEventListener('abort', () => {
      const at = questions.indexOf(waiting)
      if (at >= 0) questions.splice(at, 1)
      reject(signal.reason)
    })
  }
  return {
    async next(prompt) {
      const early = typed.shift()
      if (early !== undefined) out(`${prompt}${early}\n`)
      if (early !== undefined || isOver) return early
      // After the answer to what was asked before.
      if (questions.length === 0) out(prompt)
      return new Promise((take) => (reader = { take, prompt }))
    },
    ask: (text, signal) => new Promise((resolve, reject) => asking({ resolve, reject, signal }, text)),
    once: (prompt, take) => question({ take: (line) => take(line?.trim() ?? '') }, prompt),
    lend: (work) => lend(input, work),
    close: () => input.close(),
  }
}

async function lend(input: Interface, work: () => Promise<void>): Promise<void> {
  input.pause()
  await work().finally(() => input.resume())
}
