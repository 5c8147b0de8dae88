// All tests with their full counts, and what takes longer than a change can wait for: every try of the escape harness.
// Another seed each time, which is printed. Outside `.ci/run`; run it on a machine that does nothing else.
import { defineConfig } from 'vitest/config'

process.env['COVEY_TEST_SEED'] ??= String(Date.now() % 2 ** 31)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    env: { COVEY_TEST_SOAK: '1' },
    maxWorkers: 1,
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 100_000, interval: 20 } },
    globalSetup: ['test/support/setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
  },
})
