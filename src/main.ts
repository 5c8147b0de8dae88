#!/usr/bin/env node
/** argv in, exit code out. */
import { launch } from './cli/launch.ts'

process.exitCode = await launch(process)
