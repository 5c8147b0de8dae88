// Real servers with real weights, where they are installed: `npm run test:real`. Outside `.ci/run`.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.real.test.ts'],
    maxWorkers: 1,
    testTimeout: 900_000,
    hookTimeout: 300_000,
    globalSetup: ['test/support/setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
  },
})
