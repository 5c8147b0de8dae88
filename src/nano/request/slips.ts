/**
 * Slips in the words that say what is to be done: "thne", "delte", "frist line". Only such words are corrected, and only where no
 * writer uses them; what is quoted, named or numbered stays as it is. Pure.
 */
import { spelledRight } from '../opinion/spelling.ts'

const MEANT = new Set(
  (
    'add append attach write create make change duplicate swap replace remove delete copy move rename edit update correct mark tick insert execute ' +
    'build test tests deploy install start list open read find search look display print show tell give check count ' +
    'then after afterwards before first second third last next line lines file files folder folders everywhere every instead ' +
    'readme config settings script scripts backup version please called named from into with where what which when there this that'
  ).split(' '),
)
/** Too short to be corrected by their letters alone. */
const SHORT = new Map([
  ['thn', 'then'],
  ['hten', 'then'],
  ['adn', 'and'],
  ['nad', 'and'],
  ['teh', 'the'],
  ['hte', 'the'],
  ['fro', 'for'],
  ['ot', 'to'],
  ['tht', 'that'],
])

const PART =
  /"[^"\n]*"|“[^”\n]*”|`[^`\n]*`|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])|[\p{L}\p{N}_./\\:=<>@#$%-]*[\p{L}\p{N}_]/gu

/** `isKnown`: whether it is a word that many people use. */
export const withoutSlips = (request: string, isKnown: (word: string) => boolean): string =>
  request.replaceAll(PART, (part) =>
    /^[a-z]{2,}$|^[A-Z][a-z]{2,}$/.test(part) ? corrected(part, isKnown) : part,
  )

function corrected(word: string, isKnown: (word: string) => boolean): string {
  const lower = word.toLowerCase()
  if (isKnown(lower)) return word
  const meant = SHORT.get(lower) ?? (lower === word ? spelledRight(lower, MEANT) : lower)
  if (meant === lower) return word
  return word === lower ? meant : meant.slice(0, 1).toUpperCase() + meant.slice(1)
}
