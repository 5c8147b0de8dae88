/** Names that are given to secrets, in any spelling: `DB_PASSWORD`, `clientSecret`, `x-api-key`, `PROD_TOKEN_2`. */
import { keptPiece } from './letters.ts'

export type SecretName = {
  readonly kind: string
  /** What its value must look like to count. */
  readonly test: 'password' | 'generated' | 'credentials'
}

/** The same few names occur again and again. */
const judged = new Map<string, SecretName | 'none'>()
const MAX_JUDGED = 2000

export function judgeName(word: string): SecretName | undefined {
  const known = judged.get(word)
  if (known !== undefined) return known === 'none' ? undefined : known
  if (judged.size >= MAX_JUDGED) judged.clear()
  const name = judge(word)
  judged.set(keptPiece(word), name ?? 'none')
  return name
}

function judge(word: string): SecretName | undefined {
  if (word.length < 3 || !NAME_HINT.test(word)) return undefined
  const part = lastPart(word)
  const stem = SUFFIX_END.test(part) ? part.replace(SUFFIX, '') : part
  const plain = stem.replaceAll(/[-_$]/g, '').toLowerCase()
  return endingOf(plain) ?? (isLoudKey(word) ? LOUD_KEY : undefined)
}

/** The longest says most: a `secretAccessKey` is more than an `accessKey`. */
function endingOf(plain: string): SecretName | undefined {
  if (!LAST_LETTERS.has(plain.slice(-2))) return undefined
  for (let length = Math.min(plain.length, LONGEST); length >= SHORTEST; length--) {
    const name = byEnding.get(plain.slice(-length))
    if (name) return name
  }
  return byEnding.get(`^${plain}`)
}

/** Cheap, and true of every name below. */
export const NAME_HINT =
  /pass|pwd|secret|token|key|auth|cred|bearer|connection|conn_?str|cookie|session|sessid|pat\b|sig\b/i

/** `config.database.password` is a password. */
const lastPart = (word: string): string =>
  word.slice(word.lastIndexOf('.', word.length - 2) + 1).replace(/\.$/, '')

/** What is put behind a name to tell several apart. */
const SUFFIX_END = /[\ddnvegth]$/i
const SUFFIX = /(?:[-_]?(?:prod|production|dev|live|staging|test|value|string|text|hash|v?\d{1,3}))+$/i

type Row = readonly [kind: string, test: SecretName['test'], endings: string]

/** In small letters, without what joins words; `^` marks the whole of a name. */
const rows: readonly Row[] = [
  ['aws-secret', 'generated', 'secretaccesskey awssecret awssecretkey'],
  ['aws-session-token', 'generated', 'awssessiontoken'],
  ['azure-storage-key', 'generated', 'accountkey storagekey sharedaccesskey sharedaccesssignature'],
  ['password', 'password', 'password passwd passphrase passcode pwd ^pass dbpass smtppass mailpass userpass'],
  ['password', 'password', 'ftppass adminpass rootpass mypass redispass sqlpass'],
  ['credentials', 'credentials', 'authorization xauthtoken ^auth basicauth credential credentials'],
  [
    'api-key',
    'generated',
    'apikey accesskey authkey apikeyid appkey clientkey servicekey sharedkey licensekey',
  ],
  ['encryption-key', 'generated', 'encryptionkey signingkey masterkey secretkey secretkeybase privatekey'],
  ['encryption-key', 'generated', 'hmackey jwtkey cookiekey'],
  ['secret', 'password', 'secret'],
  ['token', 'generated', 'token bearer pat jsessionid phpsessid sessid sessionkey cookie sig'],
  ['connection-string', 'generated', 'connstr'],
]

const byEnding = new Map(
  rows.flatMap(([kind, test, endings]) =>
    endings.split(' ').map((ending) => [ending, { kind, test }] as const),
  ),
)
const LONGEST = Math.max(...Array.from(byEnding.keys(), ({ length }) => length))
const SHORTEST = 3
const LAST_LETTERS = new Set(Array.from(byEnding.keys(), (ending) => ending.slice(-2)))

/** A variable in capitals that ends in KEY. */
const isLoudKey = (word: string): boolean => /^[A-Z0-9_]{2,}_KEY$/.test(word)
const LOUD_KEY: SecretName = { kind: 'api-key', test: 'generated' }
