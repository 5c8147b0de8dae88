// The long ones: fuzz, kill loops, fault matrix, real clients. `npm test` leaves them out.
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { slowFirst } from './test/support/slow-first.ts'

/**
 * Machines that are killed, paused and cut off while they vote, and measured memory: one file at a time. They wait more than
 * they compute: `.ci/run` runs them beside the others, `npm run test:full` after them.
 */
const alone = [
  'test/federation/{flock,flock-usual,rounds,clocks}.full.test.ts',
  'test/federation/nats/flock.full.test.ts',
  'test/faults/{endurance,output}.full.test.ts',
  'test/web/flock.full.test.ts',
]

/** Short files that take long, mostly by waiting. */
const slow = [
  'clients/opencode.full',
  'faults/disk.full',
  'faults/strings.full',
  'federation/tools/peer.full',
  'plan/kill.full',
  'protocol/plant.full',
  'server/endings.full',
  'session/kill.full',
  'tools/data-view.full',
  'web/chat.full',
]

export default defineConfig({
  test: {
    globalSetup: ['test/support/setup.ts'],
    // Most of them wait for what they started.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: slowFirst(slow) },
    // What `npm test` has compiled is not compiled again.
    experimental: { fsModuleCache: true },
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
    // While four files share two cores a terminal now and then loses a key or a line; what is broken fails twice.
    retry: 1,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000, interval: 20 } },
    setupFiles: ['test/support/each-file.ts'],
  },
})
