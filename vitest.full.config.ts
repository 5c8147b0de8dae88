// The long ones: fuzz, kill loops, fault matrix, real clients. `npm test` leaves them out.
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Machines that are killed, paused and cut off while they vote, and measured memory: one file at a time, after all others. */
const alone = [
  'test/federation/{flock,flock-usual,rounds,clocks}.full.test.ts',
  'test/federation/nats/flock.full.test.ts',
  'test/faults/{endurance,output}.full.test.ts',
  'test/web/flock.full.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['test/support/setup.ts'],
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: {
          name: 'full',
          include: ['test/**/*.full.test.ts'],
          exclude: ['**/node_modules/**', ...alone],
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000, interval: 20 } },
    setupFiles: ['test/support/each-file.ts'],
  },
})
