/** The texts inside a value of any shape. Deep ones are reached, endless ones are not followed. */
import { isObject } from '../../lib/json.ts'

const MAX_DEPTH = 64

/** The same value with its texts changed; the value itself where nothing changes. Keys stay. */
export function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  return mapAt(value, change, 0) as Value
}

function mapAt(value: unknown, change: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return change(value)
  if (depth >= MAX_DEPTH) return isObject(value) || Array.isArray(value) ? '[too deep]' : value
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => mapAt(item, change, depth + 1))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, mapAt(inner, change, depth + 1)] as const)
  return entries.some(([key, inner]) => inner !== value[key]) ? Object.fromEntries(entries) : value
}

/** All of them, keys included. */
export function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value]
  if (depth >= MAX_DEPTH) return []
  if (Array.isArray(value)) return value.flatMap((item: unknown) => textsIn(item, depth + 1))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner, depth + 1)])
}
