import { type Launch, openProcess } from '../../src/lib/process.ts'

/** Programs as the person's own configuration starts them, when no file of the project is named. */
export const launchAsItIs: Launch = async (_, argv, place) => openProcess(argv, place)
