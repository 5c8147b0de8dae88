import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.full.test.ts', 'test/**/*.soak.test.ts', 'test/clients/**'],
    // A limit against hanging for ever, not a measure: on a busy machine a process may take half a minute to start.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    globalSetup: ['test/support/temporary.ts'],
    // Two hundred files that stand on the same modules: loading those anew for each took as long as half of the tests.
    isolate: false,
    // Many tests wait for processes they started: one more than there are cores keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
  },
})
