#!/usr/bin/env node
/** argv in, exit code out. */
import { startCli } from './cli/start.ts'

process.exitCode = await startCli(process)
