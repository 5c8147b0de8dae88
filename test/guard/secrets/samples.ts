/**
 * Keys as people leave them lying about: more than forty kinds, each in code, JSON, an env file, an address and prose.
 * Written from the vendors' descriptions and not from the scanner's table, so that a slip there is noticed here.
 */

export type Sample = {
  readonly kind: string
  readonly context: Context
  readonly text: string
  readonly secret: string
}

const contexts = ['code', 'json', 'env', 'url', 'prose'] as const
type Context = (typeof contexts)[number]

/** The same samples for the same seed. */
export function secretSamples(seed: number, perKind: number): readonly Sample[] {
  const random = randomFrom(seed)
  const samples: Sample[] = []
  for (const [kind, make] of Object.entries(kinds)) {
    for (const context of contexts) {
      for (let count = 0; count < perKind; count++) {
        const { secret, whole = secret, name = 'value' } = make(random)
        samples.push({ kind, context, secret, text: wrap[context](whole, name, random) })
      }
    }
  }
  return samples
}

export const sampleKinds = (): number => Object.keys(kinds).length

/** One secret of each kind on a line of its own, as in a settings file. */
export function secretLines(seed: number): readonly { readonly line: string; readonly secret: string }[] {
  const random = randomFrom(seed)
  return Object.values(kinds).map((make) => {
    const { secret, whole = secret, name = 'value' } = make(random)
    return { secret, line: wrap[random.one(['code', 'json', 'env'] as const)](whole, name, random) }
  })
}

type Random = {
  next(below: number): number
  letters(alphabet: string, length: number): string
  one<T>(items: readonly T[]): T
}

function randomFrom(seed: number): Random {
  let state = seed
  const next = (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below
  }
  const one = <T>(items: readonly T[]): T => items[Math.floor(next(items.length))] as T
  return {
    next,
    one,
    letters: (alphabet, length) =>
      Array.from({ length }, () => alphabet[Math.floor(next(alphabet.length))]).join(''),
  }
}

type Made = { readonly secret: string; readonly whole?: string; readonly name?: string }

const wrap: Readonly<Record<Context, (value: string, name: string, random: Random) => string>> = {
  code: (value, name, { one }) =>
    one([
      `export const ${name} = '${value}'\n`,
      `    ${name} = "${value}"  # from the console\n`,
      `const options = { ${name}: \`${value}\`, retries: 3 };\n`,
      `String ${name} = "${value}";\n`,
      `client.connect({ host, ${name}: '${value}' })\n`,
    ]),
  json: (value, name, { one }) =>
    one([
      `{ "name": "demo", "${name}": "${value}", "port": 8080 }\n`,
      JSON.stringify({ settings: { [name]: value } }, null, 2),
      JSON.stringify({ command: `export ${name}="${value}" && make` }),
    ]),
  env: (value, name, { one }) =>
    one([
      `PORT=3000\n${name.toUpperCase()}=${value}\nDEBUG=1\n`,
      `export ${name.toUpperCase()}="${value}"\n`,
      `${name.toUpperCase()}='${value}'\n`,
    ]),
  url: (value, name, { one }) =>
    value.includes('://') || /\s/.test(value)
      ? `see ${value} for more\n`
      : one([
          `curl "https://api.example.com/v1/items?${name}=${encodeURIComponent(value)}&page=2"\n`,
          `GET https://example.org/hook?${name}=${encodeURIComponent(value)} HTTP/1.1\n`,
        ]),
  prose: (value, name, { one }) =>
    one([
      `Please use ${name}: ${value} for the demo, and rotate it later.\n`,
      `I think the ${name} is ${value} but ask Anna.\n`,
      `Set ${name} to the following, ${name}=${value} and restart.\n`,
    ]),
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LOWER = UPPER.toLowerCase()
const DIGITS = '0123456789'
const HEX = '0123456789abcdef'
const ALPHANUMERIC = UPPER + LOWER + DIGITS
const WORD = `${ALPHANUMERIC}_-`
const BASE64 = `${ALPHANUMERIC}+/`

const uuid = ({ letters }: Random): string => [8, 4, 4, 4, 12].map((length) => letters(HEX, length)).join('-')

const prefixed =
  (prefix: string, alphabet: string, length: number) =>
  ({ letters }: Random): Made => ({ secret: prefix + letters(alphabet, length) })

/** A password as a generator makes it: some of everything. */
const password = ({ letters }: Random): string =>
  `${letters(LOWER, 3)}${letters(DIGITS, 2)}${letters(UPPER, 3)}${letters('!@%+~', 1)}${letters(ALPHANUMERIC, 5)}`

const plainPassword = ({ letters }: Random): string =>
  `${letters(LOWER, 4)}${letters(DIGITS, 3)}${letters(UPPER, 2)}${letters(ALPHANUMERIC, 4)}`

const named =
  (name: string, make: (random: Random) => string) =>
  (random: Random): Made => ({ secret: make(random), name })

const address =
  (scheme: string) =>
  (random: Random): Made => {
    const secret = plainPassword(random)
    return { secret, whole: `${scheme}://app:${secret}@db.internal.example:5432/main` }
  }

const base64url = (text: string): string => Buffer.from(text).toString('base64url')

const kinds: Readonly<Record<string, (random: Random) => Made>> = {
  'aws access key': prefixed('AKIA', UPPER + DIGITS, 16),
  'aws temporary key': prefixed('ASIA', UPPER + DIGITS, 16),
  'aws secret': named('aws_secret_access_key', ({ letters }) => letters(BASE64, 40)),
  'google api key': prefixed('AIza', WORD, 35),
  'google oauth secret': prefixed('GOCSPX-', WORD, 28),
  'google access token': prefixed('ya29.a0', WORD, 120),
  'azure storage key': named('AccountKey', ({ letters }) => `${letters(BASE64, 86)}==`),
  'azure client secret': ({ letters }) => ({
    secret: `${letters(ALPHANUMERIC, 3)}8Q~${letters(ALPHANUMERIC, 34)}`,
  }),
  digitalocean: prefixed('dop_v1_', HEX, 64),
  alibaba: prefixed('LTAI', ALPHANUMERIC, 20),
  'hashicorp vault': prefixed('hvs.', WORD, 90),
  terraform: ({ letters }) => ({
    secret: `${letters(ALPHANUMERIC, 14)}.atlasv1.${letters(ALPHANUMERIC, 67)}`,
  }),
  doppler: prefixed('dp.pt.', ALPHANUMERIC, 43),
  databricks: prefixed('dapi', HEX, 32),
  'github classic': prefixed('ghp_', ALPHANUMERIC, 36),
  'github app': prefixed('ghs_', ALPHANUMERIC, 36),
  'github fine-grained': ({ letters }) => ({
    secret: `github_pat_${letters(ALPHANUMERIC, 22)}_${letters(ALPHANUMERIC, 59)}`,
  }),
  gitlab: prefixed('glpat-', ALPHANUMERIC, 20),
  bitbucket: prefixed('ATBB', ALPHANUMERIC, 32),
  atlassian: prefixed('ATATT3xFfGF0', WORD, 172),
  npm: prefixed('npm_', ALPHANUMERIC, 36),
  pypi: prefixed('pypi-AgEIcHlwaS5vcmc', WORD, 130),
  rubygems: prefixed('rubygems_', HEX, 48),
  docker: prefixed('dckr_pat_', WORD, 27),
  'slack bot': ({ letters }) => ({
    secret: `xoxb-${letters(DIGITS, 12)}-${letters(DIGITS, 13)}-${letters(ALPHANUMERIC, 24)}`,
  }),
  'slack webhook': ({ letters }) => {
    const secret = `T${letters(UPPER, 8)}/B${letters(UPPER, 8)}/${letters(ALPHANUMERIC, 24)}`
    return { secret, whole: `https://hooks.slack.com/services/${secret}` }
  },
  discord: ({ letters }) => ({
    secret: `M${letters(ALPHANUMERIC, 25)}.${letters(ALPHANUMERIC, 6)}.${letters(ALPHANUMERIC, 38)}`,
  }),
  telegram: ({ letters }) => ({ secret: `${letters('123456789', 9)}:AA${letters(ALPHANUMERIC, 33)}` }),
  twilio: prefixed('SK', HEX, 32),
  sendgrid: ({ letters }) => ({ secret: `SG.${letters(ALPHANUMERIC, 22)}.${letters(ALPHANUMERIC, 43)}` }),
  mailgun: prefixed('key-', HEX, 32),
  mailchimp: ({ letters }) => ({ secret: `${letters(HEX, 32)}-us12` }),
  brevo: ({ letters }) => ({ secret: `xkeysib-${letters(HEX, 64)}-${letters(ALPHANUMERIC, 16)}` }),
  'stripe live': prefixed('sk_live_', ALPHANUMERIC, 24),
  'stripe restricted': prefixed('rk_live_', ALPHANUMERIC, 99),
  'stripe webhook': prefixed('whsec_', ALPHANUMERIC, 32),
  square: prefixed('sq0csp-', WORD, 43),
  shopify: prefixed('shpat_', HEX, 32),
  plaid: (random) => ({ secret: `access-production-${uuid(random)}` }),
  openai: ({ letters }) => ({
    secret: `sk-proj-${letters(ALPHANUMERIC, 74)}T3BlbkFJ${letters(ALPHANUMERIC, 74)}`,
  }),
  'openai classic': ({ letters }) => ({
    secret: `sk-${letters(ALPHANUMERIC, 20)}T3BlbkFJ${letters(ALPHANUMERIC, 20)}`,
  }),
  anthropic: ({ letters }) => ({ secret: `sk-ant-api03-${letters(WORD, 93)}AA` }),
  openrouter: prefixed('sk-or-v1-', HEX, 64),
  'hugging face': prefixed('hf_', ALPHANUMERIC, 34),
  groq: prefixed('gsk_', ALPHANUMERIC, 52),
  xai: prefixed('xai-', ALPHANUMERIC, 80),
  replicate: prefixed('r8_', ALPHANUMERIC, 37),
  perplexity: prefixed('pplx-', ALPHANUMERIC, 48),
  nvidia: prefixed('nvapi-', WORD, 64),
  grafana: ({ letters }) => ({ secret: `glsa_${letters(ALPHANUMERIC, 32)}_${letters(HEX, 8)}` }),
  'new relic': prefixed('NRAK-', UPPER + DIGITS, 27),
  sentry: prefixed('sntryu_', HEX, 64),
  postman: ({ letters }) => ({ secret: `PMAK-${letters(HEX, 24)}-${letters(HEX, 34)}` }),
  linear: prefixed('lin_api_', ALPHANUMERIC, 40),
  notion: prefixed('ntn_', ALPHANUMERIC, 46),
  airtable: ({ letters }) => ({ secret: `pat${letters(ALPHANUMERIC, 14)}.${letters(HEX, 64)}` }),
  figma: prefixed('figd_', WORD, 40),
  jwt: ({ letters }) => ({
    secret: `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url(`{"sub":"${letters(DIGITS, 8)}"}`)}.${letters(WORD, 43)}`,
  }),
  'private key': ({ letters }) => {
    const lines = Array.from({ length: 12 }, () => letters(BASE64, 64)).join('\n')
    return {
      secret: lines,
      whole: `-----BEGIN RSA PRIVATE KEY-----\n${lines}\n-----END RSA PRIVATE KEY-----`,
    }
  },
  'postgres address': address('postgres'),
  'mongodb address': address('mongodb+srv'),
  'mysql address': address('mysql'),
  'redis address': address('rediss'),
  'amqp address': address('amqps'),
  'basic auth address': address('https'),
  password: named('db_password', plainPassword),
  'password with symbols': named('password', password),
  'api key': named('api_key', ({ letters }) => letters(ALPHANUMERIC, 32)),
  'client secret': named('client_secret', ({ letters }) => letters(WORD, 40)),
  'hex token': named('auth_token', ({ letters }) => letters(HEX, 40)),
  'bearer token': named('access_token', ({ letters }) => letters(ALPHANUMERIC, 48)),
}
