/**
 * Ends what a process started and lost sight of: children that left its group (`setsid`) still carry the variable they
 * inherited. Best effort, and on Linux only: a program that clears its environment is not found. In a sandbox nothing of
 * the kind is needed.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const NAME = 'COVEY_STARTED'

export type Mark = {
  /** To be added to the environment of the process. */
  readonly env: Readonly<Record<string, string>>
  /** Kills everything that carries the mark. */
  end(): Promise<void>
}

export function createMark(): Mark {
  const value = randomBytes(16).toString('hex')
  return {
    env: { [NAME]: value },
    async end() {
      // More than once: one that is being killed may have started another.
      for (let round = 0; round < 5; round++) {
        const found = carriers(`${NAME}=${value}`)
        if (found.length === 0) return
        for (const pid of found) kill(pid)
        await pause(10)
      }
    },
  }
}

function carriers(text: string): readonly number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && isCarrier(name, text))
    .map(Number)
}

/** A zombie has no environment any more. */
function isCarrier(pid: string, text: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(text)
  } catch {
    return false
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}
