import * as fc from 'fast-check'
import { afterAll, afterEach } from 'vitest'
import { cleanFile, cleanTest } from './cleanup.ts'
import { seed } from './seed.ts'

fc.configureGlobal({ seed })
afterEach(cleanTest)
afterAll(cleanFile)
