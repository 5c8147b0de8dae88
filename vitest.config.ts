import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.full.test.ts', 'test/clients/**'],
    testTimeout: 20_000,
    globalSetup: ['test/support/temporary.ts'],
    // Two hundred files that stand on the same modules: loading those anew for each took as long as half of the tests.
    isolate: false,
    // Otherwise one core is left idle, which of two is half.
    maxWorkers: '100%',
  },
})
