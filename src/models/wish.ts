/** A requested model: `name:size:quant`, or less where less is unambiguous. Pure. */
import { nearest } from '../lib/nearest.ts'
import { quantsOf, type CatalogEntry } from './catalog.ts'
import { readQuant, type Quant } from './quant.ts'

export type Wish =
  | { readonly ok: true; readonly entry: CatalogEntry; readonly quants: readonly Quant[] }
  | { readonly ok: false; readonly message: string }

/** The entry that is meant and the quantisations left open: one where it was said, all of the entry's where not. */
export function readWish(wish: string, catalog: readonly CatalogEntry[]): Wish {
  const [name = '', size, quant, ...rest] = wish.toLowerCase().split(':')
  if (rest.length > 0) return refused(`"${wish}" has too many parts; a model is name:size:quant.`)
  const family = catalog.filter((entry) => entry.name === name)
  if (family.length === 0) return refused(unknownName(name, catalog))
  const [entry, ...others] = size === undefined ? family : family.filter((member) => member.size === size)
  const sizes = family.map((member) => member.size).join(', ')
  if (!entry) return refused(`${name} has no size "${size}"; there are ${sizes}.`)
  if (others.length > 0) return refused(`${name} comes in several sizes; say which: ${sizes}.`)
  if (quant === undefined) return { ok: true, entry, quants: quantsOf(entry) }
  const found = readQuant(quant).find((meant) => entry.files[meant])
  return found ? { ok: true, entry, quants: [found] } : refused(noSuchQuant(entry, quant))
}

const refused = (problem: string): Wish => ({
  ok: false,
  message: `${problem} \`covey models fit\` lists what there is.`,
})

function unknownName(name: string, catalog: readonly CatalogEntry[]): string {
  const names = [...new Set(catalog.map((entry) => entry.name))]
  const guess = nearest(name, names)
  const related = names.filter((known) => known.startsWith(name) || name.startsWith(known))
  const guesses = [...new Set([...(guess ? [guess] : []), ...related])]
  return `No model is called "${name}"${guesses.length > 0 ? `; did you mean ${guesses.join(' or ')}?` : '.'}`
}

function noSuchQuant(entry: CatalogEntry, quant: string): string {
  const there = `there are ${quantsOf(entry).join(', ')}.`
  if (readQuant(quant).length === 0)
    return `"${quant}" is no quantisation; of ${entry.name}:${entry.size} ${there}`
  return `${entry.name}:${entry.size} is not published as ${quant}; ${there}`
}
