/** The program's own log: structured lines to a file, to stderr when asked for, or nowhere. */
import type { Logger as PinoLogger, pino as createPino } from 'pino'
import { cleanJson } from './clean.ts'
import { maskUrls } from './mask-url.ts'

export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>

const ignore = (): void => {}

/** Most runs keep no log, and need nothing loaded for it. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

export type LogOptions = {
  readonly level: string
  /** Appended to; made if it is missing. */
  readonly file?: string
  /** Also without a file: lines to stderr. */
  readonly verbose: boolean
}

export async function createLogger({ level, file, verbose }: LogOptions): Promise<Logger> {
  if (file === undefined && !verbose) return silentLogger
  // In the bundle a CommonJS package has no names of its own, only its whole.
  const { default: pino } = await import('pino')
  const destination =
    file === undefined ? { dest: 2 } : { dest: file, mkdir: true, append: true, mode: 0o600 }
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  const log: Logger = pino(options, safe(pino.destination({ ...destination, sync: true })))
  return log
}

/** A line is read on a terminal sooner or later, and names in it come from strangers. */
const safe = (destination: ReturnType<typeof createPino.destination>): { write(line: string): void } => ({
  write: (line) => void destination.write(cleanJson(maskUrls(line))),
})
