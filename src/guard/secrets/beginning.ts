/**
 * How much of a word can be shown before its end has come: what no continuation turns into a part of a secret. Only words of
 * letters are looked at, because every secret without a name of its own holds something else, or begins in a known way.
 */
import { hasHidden } from '../unicode.ts'
import { ENCODED_START } from './block.ts'
import { mayBeginKey } from './key.ts'

const MAX_WORD = 64
const WORD = /^[*#("'“‘]*(?:\p{L}+['’])*\p{L}*[,;!?)"'”*]*$/u
const LAST_LETTERS = /[A-Za-z]*$/

/** `beginsKnown` says where in a text a value may begin that is known to be secret. */
export function shownLength(word: string, beginsKnown: (text: string) => number): number {
  if (word.length > MAX_WORD || !WORD.test(word) || hasHidden(word)) return 0
  const letters = LAST_LETTERS.exec(word)?.[0] ?? ''
  if (letters !== '' && mayBeginKey(letters)) return word.length - letters.length
  return Math.min(beginOf(word, ENCODED_START), beginsKnown(word))
}

/** Where the end of `text` may be the beginning of `literal`. */
function beginOf(text: string, literal: string): number {
  for (let at = Math.max(0, text.length - literal.length); at < text.length; at++)
    if (literal.startsWith(text.slice(at))) return at
  return text.length
}
