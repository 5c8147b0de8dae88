/**
 * The configuration as it may be shown: printed values come from here. Keys that are secret by the schema are
 * covered whole; in texts that a person wrote freely, such as commands and addresses, what looks like a secret is.
 */
import { MASK, maskUrls } from '../lib/mask-url.ts'
import { findSchema, isSecret } from './keys.ts'
import type { Config } from './schema.ts'
import { mapLeaves, type Table } from './tree.ts'

export const maskSecrets = (config: Config): Table =>
  mapLeaves(config, (value, path) => {
    if (Array.isArray(value)) return maskList(value)
    if (typeof value !== 'string') return value
    if (isSecret(path)) return isReference(value) ? value : MASK
    return findSchema(path)?.['format'] === 'uri' ? maskAddress(value) : maskText(value)
  })

/** The name of a variable is no secret, and seeing it tells where the key comes from. */
const isReference = (text: string): boolean => /^(?:Bearer )?\$\{[A-Za-z_]\w*\}$/.test(text)

/** Addresses carry secrets as `user:password@` and behind their path. */
function maskAddress(text: string): string {
  const address = new URL(text)
  if (!address.username && !address.password && !address.search && !address.hash) return text
  if (address.username) address.username = MASK
  if (address.password) address.password = MASK
  if (address.hash) address.hash = MASK
  // `?key` without a value may be the key itself.
  const hasNames = [...address.searchParams.values()].every((value) => value !== '')
  if (!hasNames) address.search = MASK
  else for (const name of new Set(address.searchParams.keys())) address.searchParams.set(name, MASK)
  return address.href
}

const NAME = String.raw`[\w-]*(?:token|key|secret|passw(?:or)?d|credentials?|authorization)`
/** `--api-key=...`, `GITHUB_TOKEN=...`, `Authorization: ...`, `Bearer ...`; a variable in its place stays. */
const NAMED = new RegExp(
  String.raw`\b((?:${NAME}["']?\s*[=:]\s*["']?(?:bearer |basic )?)|bearer )(?!\$|["'\s])[^\s"']+`,
  'gi',
)

const maskText = (text: string): string => maskUrls(text).replace(NAMED, `$1${MASK}`)

/** Whether a text would not be shown as it is. */
export const holdsSecret = (text: string): boolean => maskText(text) !== text

const OPTION = new RegExp(`^--?${NAME}$`, 'i')

/** In a list of arguments a secret may stand alone behind its option. */
const maskList = (values: readonly unknown[]): unknown[] =>
  values.map((value, index) => {
    if (typeof value !== 'string') return value
    const before = values[index - 1]
    const isValue = typeof before === 'string' && OPTION.test(before) && !/^[-$]/.test(value)
    return isValue ? MASK : maskText(value)
  })
