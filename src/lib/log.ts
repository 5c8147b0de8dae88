/** The program's own log: structured lines to a file, to stderr when asked for, or nowhere. */
import { type Logger as PinoLogger, pino } from 'pino'

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
    return pino(options, pino.destination({ dest: file, mkdir: true, append: true, sync: true, mode: 0o600 }))
  return verbose
    ? pino(options, pino.destination({ dest: 2, sync: true }))
    : pino({ ...options, enabled: false })
}
