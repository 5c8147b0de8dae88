/** The beginning of a command's output while it runs, for those who watch. */
import type { ExecOptions } from '../protocol/tool.ts'
import { cleanOutput } from '../lib/text.ts'

/** A flood would bury every other event. */
const LIVE_BYTES = 64 * 1024

/** Silent once the call is answered, even when the command goes on as a job. */
export function toLive(onOutput: ExecOptions['onOutput']): { add(bytes: Buffer): void; end(): void } {
  const decoder = new TextDecoder()
  let room = onOutput ? LIVE_BYTES : 0
  return {
    add(bytes) {
      if (room <= 0) return
      const text = cleanOutput(decoder.decode(bytes.subarray(0, room), { stream: true }))
      room -= bytes.length
      onOutput?.(room < 0 ? `${text}\n[… more output …]\n` : text)
    },
    end: () => void (room = 0),
  }
}
