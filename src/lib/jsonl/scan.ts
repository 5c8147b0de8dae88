/**
 * The layout of checksummed JSON lines and how they are read back: what one read brought is one batch, because awaiting
 * each of thousands of lines costs more than parsing it. Memory is bounded by one line and one read. The sum stands first
 * and at a fixed place, so a line is judged by its bytes before anything tries to parse it.
 */
import { crc32 } from 'node:zlib'

/** A stretch of the file that holds no readable record. */
export type JsonlDamage = { readonly offset: number; readonly bytes: number; readonly why: string }

export const CHUNK = 262_144
/** The most one record may take, and the most the reader holds while it looks for a line end. */
export const MAX_LINE = 64 * 1_048_576

/** What a file handle can do, as far as it is needed here. */
export type ByteSource = {
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>
}

type Entry = { readonly seq: number; readonly record: unknown }
export type Tail = {
  readonly kind: 'tail'
  readonly offset: number
  readonly bytes: number
  readonly whole: Entry | undefined
}
export type Found =
  | (Entry & { readonly kind: 'record' })
  | { readonly kind: 'damage'; readonly damage: JsonlDamage }
  | Tail

export async function* readRecords(source: ByteSource, end: number): AsyncGenerator<readonly unknown[]> {
  for await (const batch of scan(source, end)) yield batch.flatMap(recordOf)
}

function recordOf(found: Found): readonly unknown[] {
  if (found.kind === 'record') return [found.record]
  return found.kind === 'tail' && found.whole ? [found.whole.record] : []
}

export async function* scan(source: ByteSource, end: number): AsyncGenerator<readonly Found[]> {
  let expected: number | undefined = 1
  const judge = ({ offset, bytes, text, isTerminated }: Line): readonly Found[] => {
    const whole = text && fromLine(text)
    if (!isTerminated) return [{ kind: 'tail', offset, bytes, whole }]
    const entry = whole ?? (text && salvage(text))
    const found: Found[] = []
    if (!whole) found.push({ kind: 'damage', damage: { offset, bytes, why: 'the checksum does not match' } })
    else if (expected !== undefined && whole.seq !== expected) {
      const why = `expected record ${expected}, found ${whole.seq}`
      found.push({ kind: 'damage', damage: { offset, bytes: 0, why } })
    }
    if (entry) found.push({ kind: 'record', ...entry })
    // After a damaged line the number of records it held is unknown.
    expected = entry && entry.seq + 1
    return found
  }
  for await (const batch of lines(source, end)) yield batch.flatMap(judge)
}

type Line = {
  readonly offset: number
  readonly bytes: number
  /** Good until the next batch is asked for; absent when the line is longer than any record may be. */
  readonly text: Buffer | undefined
  readonly isTerminated: boolean
}

async function* lines(source: ByteSource, end: number): AsyncGenerator<readonly Line[]> {
  const chunk = Buffer.allocUnsafe(CHUNK)
  let pieces: Buffer[] = []
  let start = 0
  let position = 0
  const take = (last: Buffer, lineEnd: number, isTerminated: boolean): Line => {
    const text =
      lineEnd - start > MAX_LINE ? undefined : pieces.length > 0 ? Buffer.concat([...pieces, last]) : last
    const line = { offset: start, bytes: lineEnd - start, text, isTerminated }
    pieces = []
    start = lineEnd + 1
    return line
  }
  while (position < end) {
    const { bytesRead } = await source.read(chunk, 0, Math.min(CHUNK, end - position), position)
    if (bytesRead === 0) break
    const bytes = chunk.subarray(0, bytesRead)
    const batch: Line[] = []
    let from = 0
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      batch.push(take(bytes.subarray(from, at), position + at, true))
      from = at + 1
    }
    if (batch.length > 0) yield batch
    position += bytesRead
    if (position - start > MAX_LINE) pieces = []
    else if (from < bytesRead) pieces.push(Buffer.from(bytes.subarray(from)))
  }
  if (start < position) yield [take(Buffer.alloc(0), position, false)]
}

const HEAD = '{"sum":"'
/** Where the checked part begins: behind eight hexadecimal digits, a quote and a comma. */
const BODY = HEAD.length + 10

export function toLine(seq: number, record: object): Buffer {
  const body = `"seq":${seq},"record":${JSON.stringify(record)}}`
  return Buffer.from(`${HEAD}${checksum(body)}",${body}\n`)
}

function fromLine(line: Buffer): Entry | undefined {
  const head = `${HEAD}${checksum(line.subarray(BODY))}",`
  if (line.toString('latin1', 0, BODY) !== head) return undefined
  try {
    const { seq, record } = JSON.parse(line.toString()) as Partial<Entry>
    return Number.isSafeInteger(seq) ? { seq: seq as number, record } : undefined
  } catch {
    return undefined
  }
}

/** A whole record behind garbage on one line: a lost line end costs the record before it, not both. */
function salvage(line: Buffer): Entry | undefined {
  let from = line.indexOf(HEAD, 1)
  for (let tries = 0; from > 0 && tries < 16; tries++) {
    const entry = fromLine(line.subarray(from))
    if (entry) return entry
    from = line.indexOf(HEAD, from + 1)
  }
  return undefined
}

const checksum = (bytes: string | Uint8Array): string => crc32(bytes).toString(16).padStart(8, '0')
