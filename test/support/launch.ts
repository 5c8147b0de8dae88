import type { Launch } from '../../src/protocol/guard.ts'

/** Programs as the person's own configuration starts them, when no file of the project is named. */
export const launchAsItIs: Launch = async (_, argv) => ({ argv, env: {}, leave: async () => {} })
