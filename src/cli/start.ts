/** The process's edge: its streams, its signals and its exit code, handed to the program as values. */
import { readFileSync } from 'node:fs'
import { runProgram } from './program.ts'
import { readPiped } from './read-stdin.ts'

export async function startCli(process: NodeJS.Process): Promise<number> {
  const controller = new AbortController()
  let interrupts = 0
  process.on('SIGINT', () => {
    interrupts++
    // The first asks the run to end and be kept; the second is somebody who will not wait for it.
    if (interrupts > 1) process.exit(130)
    controller.abort()
  })
  process.on('SIGTERM', () => controller.abort())
  // A reader that went away (`covey ... | head`) is not an error of ours.
  process.stdout.on('error', () => process.exit(0))

  return runProgram(process.argv.slice(2), {
    version: packageVersion(),
    env: process.env,
    cwd: process.cwd(),
    signal: controller.signal,
    io: {
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
      stdin: process.stdin,
      piped: (hasPrompt) => readPiped(process.stdin, hasPrompt),
      isTty: Boolean(process.stdin.isTTY && process.stdout.isTTY),
    },
  })
}

function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return manifest.version
}
