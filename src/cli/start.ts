/** The process's edge: its streams, its signals and its exit code, handed to the program as values. */
import { errnoOf, storageError } from '../lib/atomic-write.ts'
import { packageVersion } from '../lib/package-files.ts'
import { runProgram } from './program.ts'
import { readPiped } from './read-stdin.ts'
import { exitCodes } from './exit-codes.ts'

export async function startCli(process: NodeJS.Process): Promise<number> {
  const controller = new AbortController()
  let interrupts = 0
  let handle: (() => void) | undefined
  process.on('SIGINT', () => {
    if (handle) return handle()
    interrupts++
    // The first asks the run to end and be kept; the second means the user will not wait.
    if (interrupts > 1) process.exit(exitCodes.interrupted)
    controller.abort()
  })
  process.on('SIGTERM', () => controller.abort())
  // The terminal is gone. Without this its commands would go on: they are in groups of their own.
  process.on('SIGHUP', () => controller.abort())
  watchOutput(process)

  const cwd = workingFolder(process)
  if (cwd === undefined) {
    process.stderr.write(
      'covey: the current directory no longer exists; cd to an existing one and try again.\n',
    )
    return 1
  }
  return runProgram(process.argv.slice(2), {
    version: packageVersion(),
    env: process.env,
    cwd,
    signal: controller.signal,
    onInterrupt(taken) {
      handle = taken
      return () => {
        handle = undefined
      }
    },
    io: {
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
      stdin: process.stdin,
      piped: (hasPrompt) => readPiped(process.stdin, hasPrompt),
      isTty: Boolean(process.stdin.isTTY && process.stdout.isTTY),
    },
  })
}

function watchOutput(process: NodeJS.Process): void {
  process.stdout.on('error', (error) => {
    // A reader that went away (`covey ... | head`) is not an error of ours; an answer that a full disk swallowed is.
    if (errnoOf(error) === 'EPIPE') process.exit(exitCodes.ok)
    process.stderr.write(`covey: ${storageError('the output', error).message}\n`, () =>
      process.exit(exitCodes.failed),
    )
  })
  // Notices on stderr may be lost; the answer must not be lost because of them.
  process.stderr.on('error', () => undefined)
}

function workingFolder(process: NodeJS.Process): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}
