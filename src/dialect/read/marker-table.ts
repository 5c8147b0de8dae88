/** The markers of many families in one table: what each opens, and whose it is. */
import type { Family, Marker } from '../families/family.ts'
import { MarkerFinder } from './marker-finder.ts'
import type { Input, Step } from './input.ts'
import type { Opening } from './section.ts'

/** What only counts at the start of a line or of the reply, for tools that exist. */
const WEAK = ['{', '[', '<', '\n', '```', '~~~', 'Action:', 'TOOL:', 'Tool:', '>>>'] as const
type Weak = (typeof WEAK)[number]

type Entry =
  | Exclude<Marker, { kind: 'think' | 'frame' }>
  | {
      readonly kind: 'think-open'
      readonly open: string
      readonly strict: boolean
      readonly close: readonly string[]
    }
  | { readonly kind: 'frame-open'; readonly open: string; readonly close: string }
  | { readonly kind: 'frame-close'; readonly open: string }
  /** The closing marker of a section, left over behind a call. */
  | { readonly kind: 'close'; readonly open: string }
  | { readonly kind: 'weak'; readonly open: Weak }

export type Owned = Entry & { readonly owners: ReadonlySet<string> }

export type MarkerTable = {
  readonly finder: MarkerFinder
  readonly entries: readonly Owned[]
}

/** Where two families share a marker the first one says what it opens; both own it. */
export function toMarkerTable(families: readonly Family[]): MarkerTable {
  const entries = new Map<string, Entry & { owners: Set<string> }>()
  const add = (entry: Entry, owner: string): void => {
    const known = entries.get(entry.open)
    if (known) known.owners.add(owner)
    else entries.set(entry.open, { ...entry, owners: new Set([owner]) })
  }
  for (const family of families) {
    for (const marker of family.markers) for (const entry of entriesOf(marker)) add(entry, family.name)
  }
  // Closers last: what opens something in one family may close something in another.
  for (const family of families) {
    for (const marker of family.markers)
      for (const close of closersOf(marker)) add({ kind: 'close', open: close }, family.name)
  }
  for (const open of WEAK) add({ kind: 'weak', open }, 'plain')
  const list = [...entries.values()]
  return { finder: new MarkerFinder(list.map(({ open }) => open)), entries: list }
}

/** The longest marker that stands `offset` characters ahead, if it opens a call. */
export function* openingAhead(
  { finder, entries }: MarkerTable,
  input: Input,
  offset: number,
): Step<Opening | undefined> {
  let state = finder.start
  let found: Owned | undefined
  for (let length = offset; state !== -1; length++) {
    let code = input.code(length)
    while (code === undefined) {
      yield* input.more()
      code = input.code(length)
    }
    state = code === -1 ? -1 : finder.grow(state, code)
    if (state !== -1) found = entries[finder.ending(state)] ?? found
  }
  return found?.kind === 'section' || found?.kind === 'item' ? found : undefined
}

function entriesOf(marker: Marker): Entry[] {
  if (marker.kind === 'think') {
    const closers = marker.close.map((open): Entry => ({ kind: 'answer', open }))
    return [{ ...marker, kind: 'think-open' }, ...closers]
  }
  if (marker.kind !== 'frame') return [marker]
  return [
    { kind: 'frame-open', open: marker.open, close: marker.close },
    { kind: 'frame-close', open: marker.close },
  ]
}

const closersOf = (marker: Marker): readonly string[] =>
  marker.kind === 'section' ? marker.section.close : []
