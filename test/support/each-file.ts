import * as fc from 'fast-check'
import { afterAll, afterEach } from 'vitest'
import { cleanFile, cleanTest } from './cleanup.ts'
import { runs } from './runs.ts'
import { seed } from './seed.ts'

fc.configureGlobal({ seed, numRuns: runs(30, 100) })
afterEach(cleanTest)
afterAll(cleanFile)
