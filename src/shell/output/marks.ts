/**
 * Finds our own marks in what the shell prints and takes them out; everything else passes byte for byte, marks of other
 * programs included. A mark counts only with the key that the init script knows, so output cannot forge one. Constant
 * memory: at most the beginning of one sequence is held back until the next piece. A piece is not kept beyond the call.
 */
export type Mark =
  /** `R`: a question's line is done with, and the answer may be written. */
  { readonly kind: 'A' | 'B' | 'C' | 'R' } | { readonly kind: 'D'; readonly status: number }

export type MarkSink = {
  bytes(bytes: Buffer): void
  mark(mark: Mark): void
  /** A full-screen program took the terminal, or gave it back. */
  screen(isAlternate: boolean): void
}

const ESCAPE = 0x1b
const BRACKET = 0x5b
const OSC = 0x5d
const QUESTION = 0x3f
const ONE = 0x31
const START = '\u001B]133;'
/** Longer than any sequence that is looked for. */
const LONGEST = 72

type Found = { readonly length: number; readonly mark?: Mark; readonly alternate?: boolean }

export function createMarkReader(key: string, sink: MarkSink): (chunk: Buffer) => void {
  const pattern = new RegExp(`^\\u001B\\]133;(?:([ABCR]);${key}|D;${key};(\\d{1,10}))\\u0007`)
  let held: Buffer | undefined

  function look(data: Buffer, at: number): Found | 'partial' | undefined {
    const next = data[at + 1]
    if (next !== undefined && next !== OSC && next !== BRACKET) return undefined
    // Most sequences are colours and titles, which the third byte rules out.
    const third = data[at + 2]
    if (third !== undefined && third !== (next === OSC ? ONE : QUESTION)) return undefined
    const text = data.toString('latin1', at, at + LONGEST)
    if (next === BRACKET) return screenSwitch(text)
    const match = pattern.exec(text)
    if (match) return { length: match[0].length, mark: toMark(match[1], match[2]) }
    return isBeginning(text, key) ? 'partial' : undefined
  }

  return (chunk) => {
    const data = held ? Buffer.concat([held, chunk]) : chunk
    held = undefined
    let from = 0
    let at = data.indexOf(ESCAPE)
    while (at >= 0) {
      const found = look(data, at)
      if (found === 'partial') {
        held = Buffer.from(data.subarray(at))
        if (at > from) sink.bytes(data.subarray(from, at))
        return
      }
      if (found?.mark) {
        if (at > from) sink.bytes(data.subarray(from, at))
        from = at + found.length
        sink.mark(found.mark)
      } else if (found?.alternate !== undefined) {
        if (at > from) sink.bytes(data.subarray(from, at))
        from = at
        sink.screen(found.alternate)
      }
      at = data.indexOf(ESCAPE, at + Math.max(1, found?.length ?? 1))
    }
    if (from < data.length) sink.bytes(from === 0 ? data : data.subarray(from))
  }
}

const toMark = (kind: string | undefined, status: string | undefined): Mark =>
  status === undefined ? ({ kind } as Mark) : { kind: 'D', status: Number(status) }

/** What may still become a mark of ours once more has come. */
function isBeginning(text: string, key: string): boolean {
  if (text.length >= LONGEST) return false
  if (text.length <= START.length) return START.startsWith(text)
  if (!text.startsWith(START)) return false
  const rest = text.slice(START.length)
  if (!'ABCRD'.includes(rest[0] ?? '')) return false
  const wanted = `;${key}`
  const after = rest.slice(1)
  return after.length <= wanted.length
    ? wanted.startsWith(after)
    : after.startsWith(wanted) && /^;?\d{0,10}$/.test(after.slice(wanted.length))
}

/** DEC private modes 47, 1047 and 1049, alone or among others. */
function screenSwitch(text: string): Found | 'partial' | undefined {
  const match = /^\u001B\[\?([\d;]{0,32})([hl])/.exec(text)
  if (!match) return /^\u001B\[(?:\?[\d;]{0,32})?$/.test(text) ? 'partial' : undefined
  const isSwitch = (match[1] ?? '').split(';').some((mode) => /^(?:47|1047|1049)$/.test(mode))
  return isSwitch ? { length: match[0].length, alternate: match[2] === 'h' } : undefined
}
