// What takes longer than a change can wait for: every try of the escape harness. Outside `.ci/run`.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.soak.test.ts'],
    testTimeout: 1_800_000,
    expect: { poll: { timeout: 100_000, interval: 20 } },
    globalSetup: ['test/support/setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
  },
})
