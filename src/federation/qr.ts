/** A text as a QR code for a terminal; nothing where it would be too large for one. Pure. */
import { encode } from 'uqr'

/** 41 modules a side and the border fit a terminal of 80 columns and 24 lines. */
const LARGEST_VERSION = 6
const QUIET = 2

/** Dark modules, row by row, with a light border. */
export function toQr(text: string): readonly (readonly boolean[])[] | undefined {
  try {
    const bytes = [...Buffer.from(text, 'utf8')]
    return encode(bytes, { ecc: 'L', maxVersion: LARGEST_VERSION, border: QUIET }).data
  } catch {
    return undefined
  }
}

/** Two rows to a line, light on dark terminals and dark on light ones read the same to a camera. */
export function drawQr(text: string): string | undefined {
  const modules = toQr(text)
  if (!modules) return undefined
  const lines: string[] = []
  for (let y = 0; y < modules.length; y += 2) {
    const [upper = [], lower = []] = modules.slice(y, y + 2)
    const line = upper.map((isDark, x) => BLOCKS[(isDark ? 2 : 0) + (lower[x] ? 1 : 0)]).join('')
    lines.push(`\u001B[30;107m${line}\u001B[0m`)
  }
  return `${lines.join('\n')}\n`
}

const BLOCKS = [' ', '\u2584', '\u2580', '\u2588']
