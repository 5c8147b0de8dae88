/** Started by tests: adds facts to a memory until it is killed, naming each one that was acknowledged. */
import { writeSync } from 'node:fs'
import { openMemory } from '../../src/memory/store.ts'

const memory = await openMemory({
  path: process.argv[2] ?? '',
  project: '/home/ada/shop',
  refuse: async () => undefined,
  now: Date.now,
  warn: (message) => console.error(message),
})
for (let count = 1; ; count++) {
  const text = `Process ${process.pid} counts to ${count}`
  await memory.add({ text, source: 'person' })
  writeSync(1, `${text}\n`)
}
