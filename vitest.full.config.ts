// The long ones: fuzz, kill loops, fault matrix, real clients. `npm test` leaves them out.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.full.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000, interval: 20 } },
    globalSetup: ['test/support/setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
  },
})
