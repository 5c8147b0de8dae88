/** A key that others on this machine can read is no key: such a file is refused with the command that closes it. */
import { stat } from 'node:fs/promises'
import { AppError } from '../../protocol/error.ts'

/** A file that is not there is not this function's matter. `what` says what the file is. */
export async function requirePrivate(path: string, what: string): Promise<void> {
  if (process.platform === 'win32') return
  const info = await stat(path).catch(() => undefined)
  const open = (info?.mode ?? 0) & 0o077
  if (!info || open === 0) return
  const mode = (info.mode & 0o777).toString(8).padStart(4, '0')
  const quoted = `'${path.replaceAll("'", String.raw`'\''`)}'`
  const message = `${path} (${what}) is open to other users of this machine (mode ${mode}); run: chmod 600 ${quoted}`
  throw new AppError('config-invalid', message)
}
