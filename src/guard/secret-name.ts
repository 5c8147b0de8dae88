/** Names that are given to secrets, in any spelling: `DB_PASSWORD`, `clientSecret`, `x-api-key`, `PROD_TOKEN_2`. */

export type SecretName = {
  readonly kind: string
  /** What its value must look like to count. */
  readonly test: 'password' | 'generated' | 'credentials'
}

/** The same few names stand in a text again and again. */
const judged = new Map<string, SecretName | undefined>()
const MAX_JUDGED = 2000

export function judgeName(word: string): SecretName | undefined {
  if (judged.has(word)) return judged.get(word)
  if (judged.size >= MAX_JUDGED) judged.clear()
  const name = judge(word)
  judged.set(word, name)
  return name
}

function judge(word: string): SecretName | undefined {
  if (word.length < 3 || !NAME_HINT.test(word)) return undefined
  const plain = lastPart(word).replace(SUFFIX, '').replaceAll(/[-_$]/g, '').toLowerCase()
  const found = names.find(({ ending }) => ending.test(plain))
  if (found) return found
  return isLoudKey(word) ? { kind: 'api-key', test: 'generated' } : undefined
}

/** Cheap, and true of every name below. */
export const NAME_HINT =
  /pass|pwd|secret|token|key|auth|cred|bearer|connection|conn_?str|cookie|session|pat\b|sig\b/i

/** `config.database.password` is a password. */
const lastPart = (word: string): string =>
  word.slice(word.lastIndexOf('.', word.length - 2) + 1).replace(/\.$/, '')

/** What is put behind a name to tell several apart. */
const SUFFIX = /(?:[-_]?(?:prod|production|dev|live|staging|test|value|string|text|hash|v?\d{1,3}))+$/i

const named = (
  kind: string,
  test: SecretName['test'],
  ending: string,
): SecretName & { readonly ending: RegExp } => ({
  kind,
  test,
  ending: new RegExp(`(?:${ending})$`),
})

const names = [
  named('aws-secret', 'generated', 'secretaccesskey|awssecret|awssecretkey'),
  named('aws-session-token', 'generated', 'awssessiontoken'),
  named('azure-storage-key', 'generated', 'accountkey|storagekey|sharedaccesskey|sharedaccesssignature'),
  named(
    'password',
    'password',
    'password|passwd|passphrase|passcode|pwd|^pass|(?:db|smtp|mail|user|ftp|admin|root|my|redis|sql)pass',
  ),
  named('credentials', 'credentials', 'authorization|xauthtoken|^auth|basicauth|credentials?'),
  named(
    'api-key',
    'generated',
    'api_?key|accesskey|authkey|apikeyid|appkey|clientkey|servicekey|sharedkey|licensekey',
  ),
  named(
    'encryption-key',
    'generated',
    'encryptionkey|signingkey|masterkey|secretkey|secretkeybase|privatekey|hmackey|jwtkey|cookiekey',
  ),
  named('secret', 'password', 'secret'),
  named('token', 'generated', 'token|bearer|pat|jsessionid|phpsessid|sessid|sessionkey|cookie|sig'),
  named('connection-string', 'generated', 'connectionstring|connstr'),
]

/** A variable in capitals that ends in KEY. */
const isLoudKey = (word: string): boolean => /^[A-Z0-9_]{2,}_KEY$/.test(word)
