import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.full.test.ts', 'test/**/*.soak.test.ts', 'test/clients/**'],
    // Limits against hanging for ever, not measures: on a busy machine a process may take half a minute to start.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000, interval: 20 } },
    globalSetup: ['test/support/setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
    // Hundreds of files that stand on the same modules: loading those anew for each took as long as half of the tests.
    isolate: false,
    // Many tests wait for processes they started: two more than there are cores keep the cores busy.
    maxWorkers: availableParallelism() + 2,
  },
})
