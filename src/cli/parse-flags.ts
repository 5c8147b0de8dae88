import type { z } from 'zod'
import { AppError } from '../protocol/error.ts'

/** The flags of a command as values; the first wrong one is named as a person typed it, with what it should be. */
export function parseFlags<Schema extends z.ZodType>(schema: Schema, options: unknown): z.output<Schema> {
  const parsed = schema.safeParse(options, { jitless: true })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const flag = String(issue?.path[0] ?? '').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new AppError('config-invalid', `--${flag} ${issue?.message ?? 'is wrong'}`)
}
