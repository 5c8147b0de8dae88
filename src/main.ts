#!/usr/bin/env node
/** argv in, exit code out. The built program comes here by way of `cli/launch.ts`. */
import { startCli } from './cli/start.ts'

process.exitCode = await startCli(process)
