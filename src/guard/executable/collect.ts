/** What the comparison found around the processes of one session, until it is read. */
import { setTimeout as pause } from 'node:timers/promises'
import type { ProcessGroup } from '../../lib/process.ts'
import type { ExecutableChanges, Withheld } from '../../protocol/tool.ts'
import type { Watch } from './watch.ts'

export type CollectedChanges = {
  /** Before a process starts. */
  begin(): Promise<Compared | undefined>
  /** While something goes on. */
  compare(): Promise<void>
  /** All since the last call. */
  take(): Promise<ExecutableChanges>
}

type Compared = {
  /** The process ended, or was never started. What it left running counts until that ends too. */
  over(running?: Ended): Promise<void>
}

type Ended = Pick<ProcessGroup, 'isRunning'> & {
  /** By a signal: what it started in a sandbox dies with it, but a moment later. */
  readonly wasKilled: boolean
}

/** How long what dies in a sandbox is given, each time that it was seen to have left something. */
const DYING_MS = 40
const MOST_LOOKS = 25

/** How often a process is looked for that outlived the one that started it. */
const LOOK_MS = 500

export function collectChanges(watch: Watch | undefined): CollectedChanges {
  let withheld: Withheld[] = []
  let started = new Set<string>()
  const note = (changes: ExecutableChanges): void => {
    withheld.push(...changes.withheld)
    for (const path of changes.started) started.add(path)
  }
  const compare = async (): Promise<void> => note((await watch?.compare()) ?? NOTHING)
  const outlast = async (): Promise<void> => {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const found = withheld.length
      await compare()
      await pause(DYING_MS)
      if (looks > 0 && withheld.length === found) return
    }
  }

  return {
    async begin() {
      const end = await watch?.begin()
      if (!end) return undefined
      return {
        async over(running) {
          if (running?.wasKilled) await outlast()
          if (!running?.isRunning()) return note(await end())
          await compare()
          const timer = setInterval(() => {
            if (running.isRunning()) return
            clearInterval(timer)
            void end().then(note)
          }, LOOK_MS).unref()
        },
      }
    },
    compare,
    async take() {
      await compare()
      const taken = { withheld, started: [...started].toSorted() }
      withheld = []
      started = new Set()
      return taken
    },
  }
}

const NOTHING: ExecutableChanges = { withheld: [], started: [] }
