// A process that talks in several sessions at once until it is killed. Every prompt that was accepted and every event
// is written to `acknowledged` the moment it is known. At so many lines it says "now" and goes on; the test kills it
// then. With a failpoint instead, `12:half`, it kills itself at the twelfth write to a log: before it, in the middle
// of it, or right after it.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { LoopEvent } from '../../src/engine/parts.ts'
import type { Message } from '../../src/protocol/message.ts'
import type { StartRun } from '../../src/session/run.ts'
import type { createSession } from '../../src/session/session.ts'
import { endOf } from './support.ts'

const [folder = '', count = '1', when = ''] = process.argv.slice(2)
const { writeSync } = fs
const acknowledged = fs.openSync(join(folder, 'acknowledged'), 'a')
let lines = 0
if (when.includes(':')) armFailpoint(when)
const { createSessionStore } = await import('../../src/session/store.ts')
const session = await import('../../src/session/session.ts')

await Promise.all(Array.from({ length: Number(count) }, talk))

async function talk(): Promise<void> {
  const store = createSessionStore({ folder, keep: 1_000_000 })
  const stored = await store.create({ cwd: '/project', system: 'You are covey.' })
  const parts: Parameters<typeof createSession>[0] = {
    stored,
    startRun: busyRun,
    compose: async (prompt) => ({ message: { role: 'user', text: prompt } }),
    compact: async () => undefined,
    execOutput: { add: () => {}, reset: () => {}, giveBack: () => {} },
    list: () => store.list(),
    now: Date.now,
  }
  const live = await session.createSession(parts)
  const acknowledge = (what: object) => {
    writeSync(acknowledged, `${JSON.stringify({ session: live.id, ...what })}\n`)
    if (++lines === Number(when)) writeSync(1, 'now')
  }
  void (async () => {
    for (let number = 1; ; number++) {
      const { runId } = await live.prompt(`prompt ${number}`)
      acknowledge({ prompt: `prompt ${number}`, runId })
      await setImmediate()
    }
  })().catch(() => {})
  for await (const event of live.events({ after: 0, signal: new AbortController().signal }))
    acknowledge({ event })
}

/** Three turns with two calls each; now and then the conversation is compacted. */
async function* busyRun({ runId, prompt, history }: Parameters<StartRun>[0]): ReturnType<StartRun> {
  if (history.length > 40) {
    yield { type: 'compaction', stage: 'digest', before: 900, after: 90, window: 4096 }
    yield { type: 'history', messages: [{ role: 'user', text: `digest, then ${prompt}`, origin: 'digest' }] }
  }
  for (let turn = 1; turn <= 3; turn++) {
    yield { type: 'turn-start', turn }
    yield { type: 'text-delta', text: 'Let me look.' }
    yield* workingTurn(turn, `${runId}-${turn}`)
  }
  return endOf(runId, 'answered', 3)
}

async function* workingTurn(turn: number, id: string): AsyncGenerator<LoopEvent> {
  const calls = [1, 2].map((number) => ({
    id: `${id}-${number}`,
    name: 'read_file',
    input: '{"path":"a.txt"}',
  }))
  const messages: Message[] = [{ role: 'assistant', text: 'Let me look.', calls }]
  yield { type: 'message', message: messages[0]! }
  for (const call of calls) {
    yield { type: 'tool-start', call, title: 'read a.txt' }
    await setImmediate()
    yield { type: 'tool-output', callId: call.id, text: 'hel' }
    yield { type: 'tool-end', callId: call.id, name: call.name, ok: true, text: 'hello', ms: 1 }
    const result: Message = { role: 'tool', callId: call.id, text: 'hello', ok: true }
    messages.push(result)
    yield { type: 'message', message: result }
  }
  yield { type: 'turn-end', turn, messages }
}

function armFailpoint(name: string): void {
  const [at, where] = name.split(':')
  const die = () => process.kill(process.pid, 'SIGKILL')
  let writes = 0
  fs.writeSync = ((descriptor: number, bytes: Uint8Array) => {
    if (++writes !== Number(at)) return writeSync(descriptor, bytes)
    if (where === 'before') die()
    const written = writeSync(descriptor, where === 'half' ? bytes.subarray(0, bytes.length / 2) : bytes)
    die()
    return written
  }) as typeof fs.writeSync
  syncBuiltinESMExports()
}
