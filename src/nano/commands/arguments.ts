/**
 * What may stand behind a command: single values that the clause gives, two of them where the command takes two, and flags it knows, each
 * with the signs that speak for it. Pure.
 */
import { type Accepts, shapeOfArgument } from './accepts.ts'
import type { Given } from './given.ts'
import { escaped, wordsIn } from '../opinion/tokens.ts'

export type Argument = {
  readonly text: string
  /** Kinds of its values, joined. */
  readonly kind: string
  readonly signs: readonly string[]
  /** The words of the clause that it takes up, in lower case. */
  readonly covers: readonly string[]
}

const MOST_VALUES = 18
const MOST_IN_PAIRS = 6
const MOST_FOR_FLAGS = 6

export function argumentsFor(
  given: readonly Given[],
  accepts: Accepts,
  { clause, text }: { readonly clause: string; readonly text: string },
): Argument[] {
  const values = given.slice(0, MOST_VALUES).map((one) => valueOf(one, accepts, text))
  const booleans = saidFlags(accepts, clause)
  const options = optionsOf(values, accepts, clause)
  const pairs = accepts.most >= 2 ? pairsOf(given.slice(0, MOST_VALUES), values, accepts) : []
  const single = [...values, ...pairs, ...options]
  return booleans === undefined
    ? single
    : [
        ...single,
        booleans,
        ...values.slice(0, MOST_FOR_FLAGS).map((value) => joined(value, booleans)),
        ...options.map((option) => joined(booleans, option)),
      ]
}

function valueOf({ text: value, kind, at, signs }: Given, accepts: Accepts, text: string): Argument {
  const { most, isOptional, shown } = accepts
  const shape = shapeOfArgument(value)
  const first = shown.map((shapes) => shapes.split(' ')[0] ?? '')
  const isShown = shown.length === 0 ? 'unknown' : String(first.includes(shape))
  const known = isKnown(value, text)
  const hints = kind === 'path' || kind === 'stem' || kind === 'recent' ? hintsOf(value, text) : []
  return {
    text: value,
    kind,
    covers: at < 0 && kind !== 'number' ? [] : wordsIn(value),
    signs: [
      `arg:${kind}`,
      `arg:${kind} takes:${most} ${isOptional}`,
      `arg:${kind} name:${accepts.name}`,
      `arg:${kind} shown:${first[0] ?? 'none'}`,
      `arg:${kind} fits:${isShown}`,
      `arg:${kind} known:${known}`,
      `arg:${kind} known:${known} fits:${isShown}`,
      ...signs.map((sign) => `arg:${kind} ${sign}`),
      ...hints.map((hint) => `arg:${kind} ${hint}`),
    ],
  }
}

/** As a value of its own: quoted, one of several, or a label of `case`. */
const isKnown = (value: string, text: string): boolean =>
  value.length < LONGEST_KNOWN &&
  new RegExp(String.raw`["'\s|([{]${escaped(value)}["')|,}\]]`, 'i').test(text)
const LONGEST_KNOWN = 40

/** The script speaks of the folder the file is in, and of its ending. */
function hintsOf(path: string, text: string): string[] {
  const [folder = ''] = path.split('/')
  const ending = /\.\w+$/.exec(path)?.[0]
  return [
    `folder:${path.includes('/') && text.includes(folder)}`,
    `ending in it:${ending !== undefined && (text.includes(ending) || text.includes(ending.slice(1)))}`,
    `code:${/\.(?:py|sh|js|ts|rb|lua|pl|md|toml|ini|json)$/.test(path)}`,
  ]
}

/** Two values in both orders: "1000 flyers" is `flyers 1000`. */
function pairsOf(given: readonly Given[], values: readonly Argument[], { shown }: Accepts): Argument[] {
  const rows = given.flatMap((one, index) => {
    const value = values[index]
    return value && PAIRED.has(one.kind) ? [{ one, value }] : []
  })
  const chosen = rows.slice(0, MOST_IN_PAIRS)
  return chosen.flatMap((a) =>
    chosen
      .filter((b) => b !== a && b.one.text !== a.one.text && b.one.at !== a.one.at)
      .map((b): Argument => {
        const kind = `${a.one.kind}+${b.one.kind}`
        const shapes = `${shapeOfArgument(a.one.text)} ${shapeOfArgument(b.one.text)}`
        const order = a.one.at < b.one.at
        return {
          text: `${a.one.text} ${b.one.text}`,
          kind,
          covers: [...a.value.covers, ...b.value.covers],
          signs: [
            'arg:two',
            `arg:two ${kind}`,
            `arg:two shown:${shown.includes(shapes)} order:${order}`,
            `arg:two known:${a.value.signs.some(KNOWN)} ${b.value.signs.some(KNOWN)}`,
          ],
        }
      }),
  )
}

const KNOWN = (sign: string): boolean => sign.endsWith('known:true')
const PAIRED = new Set(['number', 'word', 'stem', 'code', 'month', 'above', 'path'])

/** Flags without a value whose words are all said: "dry run" is `--dry-run`. */
function saidFlags({ flags }: Accepts, clause: string): Argument | undefined {
  const words = wordsIn(clause)
  const said = [...flags].filter(
    ([flag, isValued]) => !isValued && wordsIn(flag).every((word) => words.includes(word)),
  )
  if (said.length === 0) return undefined
  return {
    text: said.map(([flag]) => flag).join(' '),
    kind: 'flag',
    covers: said.flatMap(([flag]) => wordsIn(flag)),
    signs: ['arg:flag', `arg:flag spelled:${said.every(([flag]) => clause.includes(flag))}`],
  }
}

/** Flags with a value. */
function optionsOf(values: readonly Argument[], { flags }: Accepts, clause: string): Argument[] {
  const words = wordsIn(clause)
  return [...flags]
    .filter(([, isValued]) => isValued)
    .flatMap(([flag]) => {
      const isSaid = wordsIn(flag).every((word) => words.includes(word))
      return values.slice(0, MOST_FOR_FLAGS + 6).map((value): Argument => ({
        text: `${flag} ${value.text}`,
        kind: `option ${value.kind}`,
        covers: [...wordsIn(flag), ...value.covers],
        signs: [
          'arg:option',
          `arg:option said:${isSaid}`,
          `arg:option ${value.kind} said:${isSaid}`,
          `arg:option only:${flags.size === 1}`,
          ...value.signs.map((sign) => `option ${sign}`),
        ],
      }))
    })
}

const joined = (one: Argument, other: Argument): Argument => ({
  text: `${one.text} ${other.text}`,
  kind: `${one.kind}+${other.kind}`,
  covers: [...one.covers, ...other.covers],
  signs: [`arg:joined ${one.kind}+${other.kind}`, ...one.signs, ...other.signs],
})
