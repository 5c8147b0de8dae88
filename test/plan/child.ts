// A program that works at the plan of a folder until it is done or killed. It says "step" before and after each packet
// and "finished" at its end.
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../src/app/open.ts'
import { sessionPackets } from '../../src/plan/packet.ts'
import { runQueue } from '../../src/plan/run-queue.ts'
import { openPlanStore, planFileOf } from '../../src/plan/store.ts'
import { carefulModel } from './careful-model.ts'

const [cwd = ''] = process.argv.slice(2)
const store = openPlanStore(planFileOf(join(String(process.env['XDG_DATA_HOME']), 'covey'), cwd))
const app = await createApp({
  env: process.env,
  cwd,
  model: carefulModel(),
  window: 4096,
  permission: 'bypass',
  probe: false,
})
const runPacket = sessionPackets((id) =>
  app.openSession({ resume: id === undefined ? 'new' : { id }, canAsk: false }),
)
const end = await runQueue(
  { store, runPacket, onStep: () => void writeSync(1, 'step\n') },
  new AbortController().signal,
)
await app.close()
writeSync(1, `${end.why}\n`)
