// What takes longer than a change can wait for: every try of the escape harness. Outside `.ci/run`.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.soak.test.ts'],
    testTimeout: 1_800_000,
    globalSetup: ['test/support/temporary.ts'],
  },
})
