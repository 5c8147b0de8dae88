/** A byte-level BPE vocabulary like GPT-2's, with merges learnt from a few lines, and the special tokens of ChatML. */

export type Vocabulary = {
  readonly tokens: readonly string[]
  readonly types: readonly number[]
  readonly merges: readonly string[]
  idOf(text: string): number
}

const NORMAL = 1
const CONTROL = 3
const USER_DEFINED = 4

const SPECIAL: readonly (readonly [string, number])[] = [
  ['<|im_start|>', CONTROL],
  ['<|im_end|>', CONTROL],
  ['<tool_call>', USER_DEFINED],
  ['</tool_call>', USER_DEFINED],
  ['<|label:yes|>', CONTROL],
  ['<|label:no|>', CONTROL],
]

const MERGES = 160

const TEXT = `Read the file and tell me what it says. The function returns the number of lines in the text.
{"name": "read_file", "arguments": {"path": "src/main.ts", "from": 1}} system user assistant tool result
import { readFile } from 'node:fs/promises' export const value = (input: string): number => input.length
When the test fails, look at the output, find the line that is wrong, and write the corrected file again.`

export function createVocabulary(): Vocabulary {
  const bytes = byteLetters()
  const merges = learnMerges(bytes)
  const tokens = [...bytes, ...merges.map(([left, right]) => left + right), ...SPECIAL.map(([text]) => text)]
  return {
    tokens,
    types: tokens.map((token) => SPECIAL.find(([text]) => text === token)?.[1] ?? NORMAL),
    merges: merges.map((pair) => pair.join(' ')),
    idOf: (text) => tokens.indexOf(text),
  }
}

/** GPT-2 writes every byte as a visible letter. */
function byteLetters(): string[] {
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => {
    const visible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
    return String.fromCodePoint(visible ? byte : next++)
  })
}

function learnMerges(bytes: readonly string[]): [string, string][] {
  const words = (TEXT.match(/ ?[A-Za-z]+| ?[^\sA-Za-z]+|\s+/g) ?? []).map((word) =>
    [...Buffer.from(word)].map((byte) => bytes[byte] ?? ''),
  )
  const merges: [string, string][] = []
  while (merges.length < MERGES) {
    const pair = commonestPair(words)
    if (!pair) break
    merges.push(pair)
    for (const word of words) merge(word, pair)
  }
  return merges
}

function commonestPair(words: readonly string[][]): [string, string] | undefined {
  const counts = new Map<string, number>()
  for (const word of words)
    for (let index = 1; index < word.length; index++) {
      const pair = `${word[index - 1]} ${word[index]}`
      counts.set(pair, (counts.get(pair) ?? 0) + 1)
    }
  const [best] = [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  const [left, right] = best?.[0].split(' ') ?? []
  return left !== undefined && right !== undefined ? [left, right] : undefined
}

function merge(word: string[], [left, right]: readonly [string, string]): void {
  for (let index = 1; index < word.length; index++)
    if (word[index - 1] === left && word[index] === right) word.splice(index - 1, 2, left + right)
}
