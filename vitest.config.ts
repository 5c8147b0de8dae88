import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.full.test.ts', 'test/clients/**'],
    testTimeout: 20_000,
  },
})
