/**
 * Options of one program as data: what is listed is known to read only, everything else is doubted. Long names count
 * whole, because an abbreviation may stand for one that is not listed.
 */
import type { Word } from './word.ts'

export type OptionSpec = {
  /** Letters that stand alone. */
  readonly flags?: string
  /** Letters with a value, glued on or in the next word. */
  readonly values?: string
  /** Names, `=` behind those with a value; one without may still have a value glued on. */
  readonly long?: string
  /** `-5` is an option too. */
  readonly numbers?: boolean
  /** How many words may be no option; absent = any. */
  readonly operands?: number
}

export type Scan =
  | { readonly ok: true; readonly operands: readonly string[]; readonly options: readonly string[] }
  | { readonly ok: false; readonly option: string }

export function scanOptions(args: readonly Word[], spec: OptionSpec): Scan {
  const operands: string[] = []
  const options: string[] = []
  for (let index = 0; index < args.length; index++) {
    const word = args[index]
    if (!word) break
    if (word.loose) return { ok: false, option: word.text }
    if (word.text === '--') {
      const rest = args.slice(index + 1)
      const wild = spec.operands === undefined ? undefined : rest.find(({ glob }) => glob)
      if (wild) return { ok: false, option: wild.text }
      operands.push(...rest.map(({ text }) => text))
      break
    }
    // One wildcard may become many operands, of which the second may be a file that is written.
    const isCounted = spec.operands !== undefined
    if (word.glob && (isCounted || word.text.startsWith('-'))) return { ok: false, option: word.text }
    if (!/^-./.test(word.text)) {
      operands.push(word.text)
      continue
    }
    const read = readOption(word.text, spec)
    if (!read) return { ok: false, option: word.text }
    options.push(...read.names)
    if (!read.takesNext) continue
    // Whether the program takes the next word as a value or not, it must be harmless: no option, no `--`.
    const next = args[++index]
    if (!next || next.loose || /^-./.test(next.text)) return { ok: false, option: word.text }
  }
  if (operands.length > (spec.operands ?? Number.POSITIVE_INFINITY)) {
    return { ok: false, option: operands.at(-1) ?? '' }
  }
  return { ok: true, operands, options }
}

type OptionRead = { readonly names: readonly string[]; readonly takesNext: boolean }

function readOption(text: string, spec: OptionSpec): OptionRead | undefined {
  if (text.startsWith('--')) return readLong(text, spec)
  if (spec.numbers && /^-\d+$/.test(text)) return { names: [text], takesNext: false }
  return readCluster(text.slice(1), spec)
}

function readLong(text: string, { long = '' }: OptionSpec): OptionRead | undefined {
  const [name = '', value] = splitOnce(text.slice(2))
  const names = long.split(/\s+/)
  if (names.includes(`${name}=`)) return { names: [`--${name}`], takesNext: value === undefined }
  return names.includes(name) ? { names: [`--${name}`], takesNext: false } : undefined
}

const splitOnce = (text: string): readonly (string | undefined)[] => {
  const at = text.indexOf('=')
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

/** `-rn`, `-k2`, `-rk 2`: letters up to the first one with a value, which takes the rest. */
function readCluster(letters: string, { flags = '', values = '' }: OptionSpec): OptionRead | undefined {
  const names: string[] = []
  for (const [index, letter] of [...letters].entries()) {
    names.push(`-${letter}`)
    if (values.includes(letter)) return { names, takesNext: index === letters.length - 1 }
    if (!flags.includes(letter)) return undefined
  }
  return { names, takesNext: false }
}
