// The long ones: fuzz, kill loops, fault matrix, real clients. `npm test` leaves them out.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.full.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    globalSetup: ['test/support/temporary.ts'],
  },
})
