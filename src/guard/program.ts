/**
 * A process as a program that stays and is talked to. Its pipes are the bound: unread output waits in them, and the
 * program with it.
 */
import { once } from 'node:events'
import { PassThrough, pipeline, type Readable } from 'node:stream'
import { AppError } from '../protocol/error.ts'
import type { Program } from '../protocol/tool.ts'
import type { OpenProcess } from '../lib/process.ts'
import { cleanOutput } from '../lib/text.ts'

const COMPLAINT_BYTES = 16 * 1024

export function toProgram(running: OpenProcess, signal?: AbortSignal): Program {
  const { stdin, stdout, stderr, ended } = running
  let complaints = Buffer.alloc(0)
  stderr.on('data', (bytes: Buffer) => {
    complaints = Buffer.concat([complaints, bytes]).subarray(-COMPLAINT_BYTES)
  })
  // A program that is over breaks its pipes; `ended` and `write` report that.
  for (const pipe of [stdin, stdout, stderr]) pipe.on('error', () => {})
  // Node drops unread output when a process ends; piped output is kept.
  const output = pipeline(stdout, new PassThrough(), () => {})
  const end = ended.then(({ exitCode }) => ({ exitCode }))
  end.catch(() => {})
  const kill = (): Promise<void> => running.stop()
  const cancel = (): void => void kill()
  signal?.addEventListener('abort', cancel, { once: true })
  if (signal?.aborted) cancel()
  const forget = (): void => signal?.removeEventListener('abort', cancel)
  ended.then(forget, forget)
  return {
    async write(bytes) {
      if (stdin.destroyed || !stdin.writable) throw isOver()
      if (stdin.write(bytes)) return
      const waiting = new AbortController()
      try {
        await Promise.race([
          once(stdin, 'drain', { signal: waiting.signal }),
          once(stdin, 'close', { signal: waiting.signal }),
        ])
      } finally {
        waiting.abort()
      }
      if (stdin.destroyed) throw isOver()
    },
    output: readUntilEnd(output),
    complaints: () => cleanOutput(complaints.toString('utf8')).trim(),
    ended: end,
    kill,
  }
}

const isOver = (): AppError => new AppError('tool-failed', 'The program is over and takes no more input.')

/** A pipe that was given up ends the reading; it is no failure of the reader. */
async function* readUntilEnd(output: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const bytes of output) yield bytes as Buffer
  } catch (error) {
    if (!output.destroyed) throw error
  }
}
