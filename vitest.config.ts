import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { slowFirst } from './test/support/slow-first.ts'

/** Short files that take long, mostly by waiting for processes. */
const slow = [
  'context/long-task',
  'engine/zoo/detectors',
  'faults/disk',
  'federation/floods',
  'guard/closed-everywhere',
  'guard/escape/escape',
  'session/failure-evidence',
  'session/kill',
  'shell/shell',
  'skills/session',
  'tui/conversation',
]

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/**/*.full.test.ts',
      'test/**/*.soak.test.ts',
      'test/**/*.real.test.ts',
      'test/clients/**',
    ],
    // Limits against hanging for ever, not measures: on a busy machine a process may take half a minute to start.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000, interval: 20 } },
    globalSetup: ['test/support/setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
    sequence: { sequencer: slowFirst(slow) },
    // Hundreds of files that stand on the same modules: loading those anew for each took as long as half of the tests.
    isolate: false,
    // What one run has compiled is there for the next one and for its own workers: the long tests, another version of Node.
    experimental: { fsModuleCache: true },
    // Many tests wait for processes they started: two more than there are cores keep the cores busy.
    maxWorkers: availableParallelism() + 2,
  },
})
