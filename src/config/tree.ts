/** Nested tables as TOML gives them: paths, leaves and merging. A leaf is anything but a table that holds something. */
import { isObject } from '../lib/json.ts'

export type Table = Record<string, unknown>
export type KeyPath = readonly string[]

/** A path as TOML writes it: `checks."*.ts"`. */
export const formatKey = (path: KeyPath): string =>
  path.map((part) => (/^(?:[\w-]+|<[\w-]+>)$/.test(part) ? part : JSON.stringify(part))).join('.')

export function* leaves(value: unknown, path: KeyPath = []): Generator<KeyPath> {
  if (!isObject(value) || Object.keys(value).length === 0) {
    if (path.length > 0) yield path
    return
  }
  for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key])
}

/** An element of a list is found by its number. */
export const valueAt = (value: unknown, path: KeyPath): unknown =>
  path.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)]
    return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined
  }, value)

export function mapLeaves(
  table: Table,
  change: (value: unknown, path: KeyPath) => unknown,
  path: KeyPath = [],
): Table {
  return Object.fromEntries(
    Object.entries(table).map(([key, value]) => {
      const here = [...path, key]
      return [key, isObject(value) ? mapLeaves(value, change, here) : change(value, here)]
    }),
  )
}

/** Tables merge key by key at every level; anything else is replaced. */
export function mergeTables(lower: Table, upper: Table): Table {
  const merged = Object.entries(upper).map(([key, value]) => {
    const below = Object.hasOwn(lower, key) ? lower[key] : undefined
    return [key, isObject(below) && isObject(value) ? mergeTables(below, value) : value]
  })
  return { ...lower, ...Object.fromEntries(merged) }
}

/** `arms.<id>.window` once for every arm there is, as it stands where there is none. */
export function withNames(path: KeyPath, values: Table): KeyPath[] {
  const open = path.findIndex((part) => part.startsWith('<'))
  if (open === -1) return [path]
  const table = valueAt(values, path.slice(0, open))
  const names = isObject(table) ? Object.keys(table) : []
  if (names.length === 0) return [path]
  return names.flatMap((name) => withNames(path.with(open, name), values))
}

/** A table that holds one value at a path. */
export const tableOf = (path: KeyPath, value: unknown): Table =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Table
