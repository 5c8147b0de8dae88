// A process that works for a long time: one session, so many turns with a call each, in a small window, so that the
// conversation is compacted again and again. Prints what it holds after each tenth of them as a line of JSON.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../src/app/open.ts'
import type { Model } from '../../src/protocol/model.ts'

const [folder = '', count = '1000'] = process.argv.slice(2)
const TURNS_OF_RUN = 10
const turns = Number(count)

export type Held = {
  readonly turns: number
  readonly heap: number
  readonly handles: number
  readonly files: number
  readonly children: number
}

/** Reads a file nine times, then answers; never the same way twice, so that nothing looks like a circle. */
let asked = 0
const model: Model = {
  name: 'tireless',
  async *stream() {
    asked++
    if (asked % TURNS_OF_RUN === 0) {
      yield { type: 'text-delta', text: `This was round ${asked / TURNS_OF_RUN}, and all of it is read now.` }
      yield { type: 'finish', reason: 'stop' }
      return
    }
    const input = JSON.stringify({ path: `file-${asked % TURNS_OF_RUN}.txt`, from: 1 + (asked % 40) })
    yield { type: 'tool-call', call: { id: `call-${asked}`, name: 'read_file', input } }
    yield { type: 'finish', reason: 'tool-calls' }
  },
}

const env = { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: join(folder, 'data') }
const cwd = join(folder, 'project')
const app = await createApp({ env, cwd, model, permission: 'bypass', probe: false })
const session = await app.openSession({ resume: 'new', canAsk: false })
const stop = new AbortController()
const events = session.events({ signal: stop.signal })[Symbol.asyncIterator]()

for (let done = 0; done < turns;) {
  const { runId } = await session.prompt(`Read all files, for the ${done}th time.`)
  for (;;) {
    const { value: event, done: isOver } = await events.next()
    if (isOver) throw new Error('the events ended')
    if (event.type === 'turn-end') done++
    if (event.type !== 'run-end' || event.runId !== runId) continue
    if (event.reason !== 'answered') throw new Error(`run ended: ${event.reason}, ${event.report}`)
    break
  }
  if (done % (turns / 10) < TURNS_OF_RUN) process.stdout.write(`${JSON.stringify(held(done))}\n`)
}
stop.abort()
await session.close()
await app.close()

function held(done: number): Held {
  for (let round = 0; round < 3; round++) global.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return {
    turns: done,
    heap: heapUsed + external,
    handles: process.getActiveResourcesInfo().length,
    files: readdirSync('/proc/self/fd').length,
    children: childrenOf(process.pid),
  }
}

/** Of any age: a child that was started and not collected is still listed. */
function childrenOf(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`)
  return tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  ).length
}
