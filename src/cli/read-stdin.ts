/** Text piped into the command. A parent that leaves the pipe open and says nothing must not hang a prompt. */
import { fstatSync } from 'node:fs'
import type { Piped } from './command.ts'

const PATIENCE_MS = 3_000
/** More than any window holds; a prompt beyond its share is folded later. */
const MAX_BYTES = 16 * 1024 * 1024

/** `hasPrompt`: the words are on the command line already, so an open but silent pipe is left alone after a while. */
export async function readPiped(stdin: NodeJS.ReadStream, hasPrompt: boolean): Promise<Piped | undefined> {
  if (stdin.isTTY || !isPipeOrFile()) return undefined
  const chunks: Buffer[] = []
  let bytes = 0
  const done = new Promise<void>((resolve) => {
    stdin.on('data', (chunk: Buffer | string) => {
      const data = Buffer.from(chunk)
      if (bytes < MAX_BYTES) chunks.push(data)
      bytes += data.length
    })
    stdin.once('end', resolve)
    stdin.once('error', () => resolve())
  })
  await (hasPrompt ? Promise.race([done, untilSilent(() => bytes > 0, done)]) : done)
  stdin.pause()
  const text = Buffer.concat(chunks).toString('utf8').slice(0, MAX_BYTES)
  return { text, truncated: bytes > MAX_BYTES }
}

function isPipeOrFile(): boolean {
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || stat.isFile() || stat.isSocket()
  } catch {
    return false
  }
}

/** Gives up when nothing has come by the deadline; once something came, waits for the end. */
async function untilSilent(hasData: () => boolean, done: Promise<void>): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref())
  if (hasData()) await done
}
