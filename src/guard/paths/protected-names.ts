/**
 * Names that need a yes of their own, wherever they stand and whether or not they exist. Secret ones are neither read nor
 * written; governance ones decide what runs later, so they may be read but not written: every name that the table of
 * executable configuration says runs unprompted or is read-only. Spellings that some file system would take for
 * the same name (case, trailing dots, streams, invisible characters, short names) are the same name.
 */
import { isReadOnly, isUnprompted } from '../executable/recognise.ts'

export type Protection = 'secret' | 'governance'

/** `path` relative to a root or absolute; either kind of slash separates. */
export function protectionOf(path: string): Protection | undefined {
  const names = path.split(/[/\\]/).map(fold).filter(Boolean)
  if (names.some((name, index) => isSecret(name, names[index - 1]))) return 'secret'
  const isClosed = names.some((name, index) => isReadOnly(name, names[index - 1]))
  return isClosed || isUnprompted(names.join('/')) ? 'governance' : undefined
}

/**
 * For one name alone, whatever stands above its folder: what the sandbox covers where it exists. The rest of the table is
 * compared around every command instead.
 */
export function protectionOfName(name: string, parent: string): Protection | undefined {
  const [own, above] = [fold(name), fold(parent)]
  if (isSecret(own, above)) return 'secret'
  return isReadOnly(own, above) ? 'governance' : undefined
}

/** Keys themselves: no yes opens them. */
export const isKeyPath = (path: string): boolean =>
  path
    .split(/[/\\]/)
    .map(fold)
    .some((name) => name === '.ssh' || name === '.gnupg' || KEY.test(name))

const KEY =
  /\.(?:key|pem|p12|pfx|pkcs12|jks|keystore|kdbx|ppk|gpg)$|^id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:[._-](?!pub$).*)?$/

/** Characters that are drawn as nothing: HFS+ ignores them in names. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|[\u0000-\u001F\u007F]/gu

function fold(name: string): string {
  const plain = name.normalize('NFKC').replaceAll(INVISIBLE, '').toLowerCase()
  const base = plain.replace(/(?<=.):.*$/s, '').replace(/[. ]+$/, '')
  return SHORT_NAMES.get(base) ?? base
}

/** Eight-dot-three names Windows makes for folders that begin with a dot. */
const SHORT_NAMES = new Map([
  ['git~1', '.git'],
  ['ssh~1', '.ssh'],
  ['env~1', '.env'],
  ['vscode~1', '.vscode'],
])

const SECRET_FOLDERS = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.gcloud', '.kube', '.password-store'])

const SECRET_NAMES = new Set([
  'credentials',
  '.credentials',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.htpasswd',
  '.vault-token',
  '.dockercfg',
  '.terraformrc',
  'application_default_credentials.json',
])

const SECRET_PATTERNS: readonly RegExp[] = [
  /^\.env(?:rc)?(?:[._-](?!(?:.*[._-])?(?:example|sample|template)$).*)?$/,
  /\.(?:key|pem|p12|pfx|pkcs12|jks|keystore|kdbx|ppk|gpg)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:[._-](?!pub$).*)?$/,
  /^(?:.*[._-])?(?:credentials?|secrets?)\.(?:json|ya?ml|toml|ini|env|txt)$/,
  /^(?:.*[._-])?service[._-]?account(?:[._-]?key)?(?:[._-].*)?\.json$/,
  /^client_secrets?.*\.json$/,
]

const isSecret = (name: string, parent: string | undefined): boolean =>
  SECRET_FOLDERS.has(name) ||
  SECRET_NAMES.has(name) ||
  (parent === '.docker' && name === 'config.json') ||
  (parent === '.config' && ['gcloud', 'gh', 'op'].includes(name)) ||
  SECRET_PATTERNS.some((pattern) => pattern.test(name))
