/** The program's own log: structured lines to a file, to stderr when asked for, or nowhere. */
import { type Logger as PinoLogger, pino } from 'pino'
import { cleanJson } from './clean.ts'
import { maskUrls } from './mask-url.ts'

export type Logger = PinoLogger

export type LogOptions = {
  readonly level: string
  /** Appended to; made if it is missing. */
  readonly file?: string
  /** Also without a file: lines to stderr. */
  readonly verbose: boolean
}

export function createLogger({ level, file, verbose }: LogOptions): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (file !== undefined)
    return pino(options, safe({ dest: file, mkdir: true, append: true, sync: true, mode: 0o600 }))
  return verbose ? pino(options, safe({ dest: 2, sync: true })) : pino({ ...options, enabled: false })
}

/** A line is read on a terminal sooner or later, and names in it come from strangers. */
function safe(options: Parameters<typeof pino.destination>[0]): { write(line: string): void } {
  const destination = pino.destination(options)
  return { write: (line) => void destination.write(cleanJson(maskUrls(line))) }
}
