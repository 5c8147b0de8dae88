/**
 * Prompts as tokens, and the memory of those before. The tokens a model wrote are seldom those a tokenizer would make of
 * the same text, above all under a grammar. A prompt that begins with text known from before gets the very tokens of
 * that text, so that what lies in the cache is found again; only the rest is tokenised.
 */
import type { Token } from 'node-llama-cpp'
import type { Segment } from './segment.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Where text and tokens may be parted: the end of a prompt, the end of a reply. */
type Cut = { readonly at: number; readonly tokens: number }

export type Encoding = {
  /** The text, with the plain segments marked: equal keys mean equal prompts. */
  readonly key: string
  readonly tokens: readonly Token[]
  readonly cuts: readonly Cut[]
}

export type EncodingMemory = {
  encode(segments: readonly Segment[], tokenizer: SegmentEncoder): Encoding
  remember(encoding: Encoding): void
  /** The conversation that a sequence holds, if it is known. */
  find(tokens: readonly Token[]): Encoding | undefined
}

type SegmentEncoder = Pick<Tokenizer, 'encode' | 'start'>

/** `size` is how many conversations are known at a time. */
export function createEncodingMemory(size: number): EncodingMemory {
  let known: readonly Encoding[] = []
  return {
    encode(segments, { encode, start }) {
      const key = toKey(segments)
      const { tokens, at, cuts } = longestStart(key, known)
      const rest = dropStart(segments, at).flatMap((segment, index) =>
        encode(segment, at === 0 && index === 0),
      )
      const isUnopened = at === 0 && start !== undefined && rest[0] !== start
      const all = [...tokens, ...(isUnopened ? [start] : []), ...rest]
      return { key, tokens: all, cuts: [...cuts, { at: key.length, tokens: all.length }] }
    },
    remember(encoding) {
      const others = known.filter(({ key }) => !encoding.key.startsWith(key))
      known = [encoding, ...others].slice(0, size)
    },
    find: (held) =>
      known.find(({ tokens }) => held.length > 0 && held.every((token, index) => token === tokens[index])),
  }
}

/** The same conversation with the reply to it. */
export function withReply({ key, tokens, cuts }: Encoding, text: string, reply: readonly Token[]): Encoding {
  const all = [...tokens, ...reply]
  return {
    key: key + text,
    tokens: all,
    cuts: [...cuts, { at: key.length + text.length, tokens: all.length }],
  }
}

/** Its length goes before plain text, so that no text can pass for the mark of its own end. */
const PLAIN = '\uE000'
const keyOf = ({ text, control }: Segment): string => (control ? text : `${PLAIN}${text.length}:${text}`)
const toKey = (segments: readonly Segment[]): string => segments.map(keyOf).join('')

function longestStart(key: string, known: readonly Encoding[]): { tokens: Token[]; at: number; cuts: Cut[] } {
  let best = { tokens: [] as Token[], at: 0, cuts: [] as Cut[] }
  for (const encoding of known) {
    const common = commonStart(key, encoding.key)
    const cuts = encoding.cuts.filter(({ at }) => at <= common)
    const last = cuts.at(-1)
    if (last && last.at > best.at) best = { tokens: encoding.tokens.slice(0, last.tokens), at: last.at, cuts }
  }
  return best
}

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let index = 0
  while (index < most && one.charCodeAt(index) === other.charCodeAt(index)) index++
  return index
}

/** What follows after `length` characters of the key. Cuts never lie inside a plain segment. */
function dropStart(segments: readonly Segment[], length: number): Segment[] {
  let left = length
  return segments.flatMap((segment) => {
    const own = keyOf(segment).length
    const skipped = Math.min(left, own)
    left -= skipped
    if (skipped === own) return []
    return skipped === 0 ? [segment] : [{ ...segment, text: segment.text.slice(skipped) }]
  })
}
