/**
 * One place that configuration comes from. A layer holds only what was written there; it is checked alone, so that a
 * message names the file at fault, and laid over the layers before it. The origin of every value is kept.
 */
import { dirname, join, resolve } from 'node:path'
import { isObject } from '../lib/json.ts'
import type { ConfigFile } from './file.ts'
import { listKeys } from './keys.ts'
import { describeIssue } from './problem.ts'
import { Config } from './schema.ts'
import {
  formatKey,
  leaves,
  mergeTables,
  tableOf,
  valueAt,
  withNames,
  type KeyPath,
  type Table,
} from './tree.ts'

type LayerName = 'default' | 'user' | 'profile' | 'project' | 'environment' | 'flags'

export type Origin = {
  readonly layer: LayerName
  readonly file?: string
  readonly line?: number
  readonly variable?: string
}

export type Layer = {
  readonly values: Table
  originOf(path: KeyPath): Origin
}

/** What one place gave: layers in rising order, and one line per mistake. */
export type LayerReading = { readonly layers: readonly Layer[]; readonly problems: readonly string[] }

/** The layer that a table of a file makes; the whole file when `under` is empty. */
export function fileLayer(name: LayerName, file: ConfigFile, home: string, under: KeyPath = []): Layer {
  const table = valueAt(file.values, under)
  const values = isObject(table) ? table : {}
  return {
    values: anchorPaths(values, dirname(file.path), home),
    originOf: (path) => {
      const line = file.lineOf([...under, ...path])
      return { layer: name, file: file.path, ...(line === undefined ? {} : { line }) }
    },
  }
}

/** Paths are meant relative to where they are written: the folder of the file, or the working folder. */
export function anchorPaths(values: Table, folder: string, home: string): Table {
  if (isEmpty(values)) return values
  const keys = listKeys().filter(({ schema }) => schema['format'] === 'path')
  const anchored = keys
    .flatMap(({ path }) => withNames(path, values))
    .flatMap((path) => {
      const value = valueAt(values, path)
      if (typeof value !== 'string') return []
      const isBelowHome = value === '~' || value.startsWith('~/')
      return [tableOf(path, isBelowHome ? join(home, value.slice(1)) : resolve(folder, value))]
    })
  return anchored.reduce(mergeTables, values)
}

/** Most starts have layers without a value, and the schema is slow. */
const isEmpty = (values: Table): boolean => Object.keys(values).length === 0

/** Compiling the schema takes longer than reading one configuration without. */
const parsedOnce = { jitless: true }

/** One line per mistake in a layer. */
export function checkLayer(layer: Layer): string[] {
  if (isEmpty(layer.values)) return []
  const issues = Config.safeParse(layer.values, parsedOnce).error?.issues ?? []
  return issues
    .flatMap((issue) => describeIssue(issue, layer.values))
    .map(({ path, message }) => `${formatOrigin(layer.originOf(path))}: ${formatKey(path)} ${message}`)
}

export type Merged = {
  readonly config: Config
  /** By key as TOML writes it, one entry for every value of `config`. */
  readonly origins: ReadonlyMap<string, Origin>
}

/** Of rules the strictest counts, so those of every layer stay: a project that is trusted still lifts no deny of the person. */
const RULES = ['permission', 'rules']

/** Later layers win. Layers that passed `checkLayer` always merge into a valid whole. */
export function mergeLayers(layers: readonly Layer[]): Merged {
  const written = new Map<string, Origin>()
  for (const layer of layers) {
    for (const path of leaves(layer.values)) written.set(formatKey(path), layer.originOf(path))
  }
  const rules = layers.flatMap(({ values }) => valueAt(values, RULES) ?? [])
  const values = layers.map((layer) => layer.values).reduce(mergeTables, {})
  const config = Config.parse(mergeTables(values, tableOf(RULES, rules)), parsedOnce)
  const keys = [...leaves(config)].map(formatKey)
  return { config, origins: new Map(keys.map((key) => [key, written.get(key) ?? { layer: 'default' }])) }
}

/** Where a value comes from, for a person. */
export function formatOrigin({ layer, file, line, variable }: Origin): string {
  if (variable) return variable
  if (file) return line === undefined ? file : `${file}:${line}`
  return layer === 'flags' ? 'command line' : layer
}
