/** Tells of every key what it is set to, where that comes from and what it means. Pure; secrets are masked. */
import { nearest } from '../lib/nearest.ts'
import { AppError } from '../protocol/error.ts'
import { expectedOf, findSchema, listKeys, meaningOf } from './keys.ts'
import type { Merged, Origin } from './layer.ts'
import { maskSecrets } from './mask.ts'
import { formatKey, valueAt, withNames, type KeyPath, type Table } from './tree.ts'

export type Explanation = {
  readonly key: string
  /** `undefined` when nothing sets it and there is no default. */
  readonly value: unknown
  readonly origin: Origin
  readonly default: unknown
  readonly expected: string
  readonly meaning: string
}

/** Without a key: everything that has a value. With a key: it and all below it, set or not. */
export function explainConfig({ config, origins }: Merged, key?: string): Explanation[] {
  const values = maskSecrets(config)
  const all = listKeys()
    .flatMap(({ path }) => withNames(path, values))
    .map((path) => explain(path, values, origins))
  if (key === undefined) return all.filter(({ value }) => value !== undefined)
  const asked = all.filter((explanation) => `${explanation.key}.`.startsWith(`${key}.`))
  if (asked.length === 0) throw new AppError('config-invalid', noSuchKey(key, all))
  return asked
}

function explain(path: KeyPath, values: Table, origins: Merged['origins']): Explanation {
  const key = formatKey(path)
  const schema = findSchema(path) ?? {}
  return {
    key,
    value: valueAt(values, path),
    origin: origins.get(key) ?? { layer: 'default' },
    default: schema['default'],
    expected: expectedOf(schema),
    meaning: meaningOf(path),
  }
}

function noSuchKey(key: string, all: readonly Explanation[]): string {
  const tables = all.flatMap((explanation) => {
    const parts = explanation.key.split('.')
    return parts.map((_, index) => parts.slice(0, index + 1).join('.'))
  })
  const sameName = tables.find((name) => name.endsWith(`.${key}`))
  const guess = nearest(key, tables) ?? sameName
  return guess
    ? `${key} is not a key; did you mean ${guess}?`
    : `${key} is not a key; \`covey config explain\` lists them.`
}
