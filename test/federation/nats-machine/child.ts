/** A machine of its own that answers jobs until it is killed. What it is comes as JSON in its first argument. */
import { setTimeout as pause } from 'node:timers/promises'
import { openNats } from '../../../src/federation/nats/open.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import type { ModelEvent, ModelRequest } from '../../../src/protocol/model.ts'
import type { MachineOrder } from './order.ts'

const order = JSON.parse(process.argv[2] ?? '') as MachineOrder
let running = 0

async function* answer(_model: string, request: ModelRequest): AsyncIterable<ModelEvent> {
  running++
  try {
    const text = request.messages.at(-1)?.text ?? ''
    for (const word of ['done', ' ', 'with', ' ', text]) {
      await pause(order.wordMs)
      yield { type: 'text-delta', text: word }
    }
    yield { type: 'finish', reason: 'stop' }
  } finally {
    running--
  }
}

await openNats({
  ...order.options,
  log: silentLogger,
  offer: {
    report: () => ({
      name: '',
      waiting: 0,
      running,
      freeMemory: 0,
      models: [{ id: 'small', window: 4096, vision: false }],
    }),
    answer,
  },
})
process.stdout.write('ready\n')
