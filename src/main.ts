#!/usr/bin/env node
/** argv in, exit code out. */
import { enableCompileCache } from './cli/compile-cache.ts'

enableCompileCache(process)
// Imported afterwards: what is loaded before is compiled anew at every start.
const { startCli } = await import('./cli/start.ts')

process.exitCode = await startCli(process)
