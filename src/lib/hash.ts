import { createHash } from 'node:crypto'

/** A short stable name for a text; long enough that two texts of one session never share it. */
export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16)
