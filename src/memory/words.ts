/**
 * Text as the terms it is found by: identifiers split (`maxRetryCount`, `max_retry_count`, `max-retry-count`), accents
 * folded, words stemmed, small words left out. What is stored and what is asked go through the same function.
 */
import { stem } from './stem.ts'

/** In order, repetitions kept. */
export function termsOf(text: string): readonly string[] {
  return wordsOf(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stem)
}

/** Lower-case words in order; of an identifier its parts and, behind them, the whole. */
export function wordsOf(text: string): readonly string[] {
  const plain = ASCII.test(text) ? text : text.normalize('NFKD').replaceAll(/\p{M}+/gu, '')
  return (
    plain
      .replaceAll(/['’](?=\p{L})/gu, '')
      .match(COMPOUND)
      ?.flatMap(partsOf) ?? []
  )
}

const ASCII = /^[\0-\x7F]*$/
const COMPOUND = /[\p{L}\p{N}]+(?:[_.-][\p{L}\p{N}]+)*/gu

function partsOf(compound: string): readonly string[] {
  if (PLAIN.test(compound)) return [compound]
  const pieces = compound.split(/[_.-]/)
  const words = pieces.flatMap(splitCase)
  if (words.length === 1) return words.flatMap(toPairs)
  const whole = pieces.join('').toLowerCase()
  return [...words, ...(whole.length <= LONGEST_WORD ? [whole] : [])]
}

const PLAIN = /^[a-z]{1,64}$/
const LONGEST_WORD = 64

const splitCase = (piece: string): readonly string[] =>
  piece
    .replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu}\p{Ll})|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .split(' ')
    .map((word) => word.toLowerCase().slice(0, LONGEST_WORD))

const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u

/** Scripts without spaces are found by pairs of characters. */
function toPairs(word: string): readonly string[] {
  if (word.length < 3 || !UNSPACED.test(word)) return [word]
  const characters = Array.from(word)
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those there here it its itself he she they them their his her we us our ours you your ' +
    'i im ive me my mine is are was were be been being am do does did doing done has have had having will would shall ' +
    'should can could may might must to of in on at by for from with without within into onto as than then so such ' +
    'and or but nor if else because while when whenever where what which who whom whose why how about above below ' +
    'between through during before after again once only own same too very just also any all each every some no not ' +
    'dont doesnt didnt isnt arent wont cant whats wheres hows up down out off over under both more most other get gets ' +
    'got go goes going gone need needs want please tell know let lets one thing things something anything supposed ' +
    'currently actually exactly really kind sort type way ever never always still yet per via look looks like happen happens mean means okay now'
  ).split(' '),
)
