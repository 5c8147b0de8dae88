/** The configuration as it may be shown: whoever prints a value takes it from here. */
import { findSchema, isSecret } from './keys.ts'
import type { Config } from './schema.ts'
import { mapLeaves, type Table } from './tree.ts'

const MASK = '********'

export const maskSecrets = (config: Config): Table =>
  mapLeaves(config, (value, path) => {
    if (typeof value !== 'string') return value
    if (isSecret(path)) return isReference(value) ? value : MASK
    return findSchema(path)?.['format'] === 'uri' ? maskAddress(value) : value
  })

/** The name of a variable is no secret, and seeing it tells where the key comes from. */
const isReference = (text: string): boolean => /^(?:Bearer )?\$\{[A-Za-z_]\w*\}$/.test(text)

/** Addresses carry secrets as `user:password@` and in their query. */
function maskAddress(text: string): string {
  const address = new URL(text)
  if (!address.username && !address.password && !address.search) return text
  if (address.username) address.username = MASK
  if (address.password) address.password = MASK
  for (const name of new Set(address.searchParams.keys())) address.searchParams.set(name, MASK)
  return address.href
}
