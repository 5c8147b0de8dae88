/**
 * Tokens of byte-level vocabularies (GPT-2 and its descendants) as bytes. llama.cpp's own way from tokens to text drops
 * spaces before punctuation where the file does not forbid it.
 */

/** Undefined where a letter stands for no byte: then the vocabulary is written in another way. */
export function tokenBytes(token: string): Buffer | undefined {
  const bytes = Array.from(token, (letter) => BYTES.get(letter) ?? -1)
  return bytes.includes(-1) ? undefined : Buffer.from(bytes)
}

/** Every byte is written as a visible letter: itself where it is one, else the next one beyond Latin-1. */
const BYTES: ReadonlyMap<string, number> = byteLetters()

function byteLetters(): Map<string, number> {
  let next = 256
  const isVisible = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
  return new Map(
    Array.from({ length: 256 }, (_, byte) => [String.fromCodePoint(isVisible(byte) ? byte : next++), byte]),
  )
}
