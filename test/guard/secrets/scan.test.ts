import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redact } from '../../../src/guard/secrets/firewall.ts'
import { scanSecrets } from '../../../src/guard/secrets/scan.ts'
import { sampleKinds, secretSamples } from './samples.ts'
import { falseHits } from './sources.ts'
import { runs } from '../../support/runs.ts'

const key = 'AKIAQWERTYUIOPASDF12'

/** A third of a secret at either end is a leak too; addresses and JSON spell some letters differently. */
const leaks = (text: string, secret: string): boolean =>
  [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)].some((form) => {
    const part = Math.max(8, Math.floor(form.length / 3))
    return text.includes(form.slice(0, part)) || text.includes(form.slice(-part))
  })

const inBase64 = (text: string): string => Buffer.from(text).toString('base64')
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA7bq'.repeat(4)}\n-----END RSA PRIVATE KEY-----\n`

describe('what is a secret', () => {
  test('at least 95 % of more than forty kinds are found in code, JSON, env files, addresses and prose', async () => {
    const samples = secretSamples(20_26, 3)

    const missed: string[] = []
    for (const { kind, context, text, secret } of samples) {
      if (leaks((await redact(text)).text, secret)) missed.push(`${kind} in ${context}`)
    }

    expect(sampleKinds()).toBeGreaterThanOrEqual(40)
    expect({ missed, isGood: missed.length / samples.length < 0.05 }).toMatchObject({ isGood: true })
  })

  test.each([
    [`aws: ${key},`, 'aws: [aws-key],'],
    ['DB_PASSWORD=Sup3rS3cret!', 'DB_PASSWORD=[password]'],
    ['{"password": "hunter22x", "a": 1}', '{"password": "[password]", "a": 1}'],
    ["const apiKey: string = 'a8F5f167f44f4964e6c998dee827110c'", "const apiKey: string = '[api-key]'"],
    ['password := "Tr0ub4dor&3"', 'password := "[password]"'],
    ["'password' => 'Tr0ub4dor&3',", "'password' => '[password]',"],
    ['define("DB_PASSWORD", "Tr0ub4dor&3");', 'define("DB_PASSWORD", "[password]");'],
    ['os.environ["API_TOKEN"] = "a8F5f167f44f4964e6"', 'os.environ["API_TOKEN"] = "[token]"'],
    ['the password is Tr0ub4dor&3.', 'the password is [password].'],
    ['<password>Tr0ub4dor&3</password>', '<password>[password]</password>'],
    ['curl -u bob:Tr0ub4dor3x https://x.org', 'curl -u bob:[password] https://x.org'],
    ['deploy --token a8F5f167f44f4964e6c9 now', 'deploy --token [token] now'],
    ['Authorization: Bearer a8F5f167f44f4964e6c9', 'Authorization: Bearer [credentials]'],
    ['Authorization: Basic Ym9iOlRyMHViNGRvcg==', 'Authorization: Basic [credentials]'],
    ['https://x.org/?token=a8F5f167f44f4964e6&page=2', 'https://x.org/?token=[token]&page=2'],
    ['postgres://u:p4ssw0rdx@db.host/x', 'postgres://u:[database-password]@db.host/x'],
    [
      'https://a8F5f167f44f4964e6:x-oauth-basic@github.com/',
      'https://[basic-auth]:x-oauth-basic@github.com/',
    ],
    ['http://user:hunter2@h/v1', 'http://user:[basic-auth]@h/v1'],
    ['ftp://bob:letmein@files.acme.io/x', 'ftp://bob:[basic-auth]@files.acme.io/x'],
    ['PASSWORD=ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'PASSWORD=[github-token]'],
    [`"log\\n${key}\\n"`, '"log\\n[aws-key]\\n"'],
    [`q=%3D${key}`, 'q=%3D[aws-key]'],
    [`\u001B[01;31m${key}\u001B[m`, '\u001B[01;31m[aws-key]\u001B[m'],
    ['password: |\n  Tr0ub4dor&3\n', 'password: |\n  [password]\n'],
    ['password: >-\n  Tr0ub4dor&3\n', 'password: >-\n  [password]\n'],
    ['body=password%3DTr0ub4dor%263', 'body=password%3D[password]'],
    ['<add key="DbPassword" value="Tr0ub4dor3x"/>', '<add key="DbPassword" value="[password]"/>'],
    ['machine h login bob password Tr0ub4dor&3', 'machine h login bob password [password]'],
    ['sshpass -p Tr0ub4dor&3 ssh h', 'sshpass -p [password] ssh h'],
    ['PHPSESSID=k2j3h4k5j6h7g8f9d0s1a2q3w4', 'PHPSESSID=[token]'],
    [`data ${inBase64(`${key}\n`)} end`, 'data [aws-key] end'],
    [`data ${Buffer.from(key).toString('hex')} end`, 'data [aws-key] end'],
    [`client-key-data: ${inBase64(PEM)}`, 'client-key-data: [private-key]'],
  ])('%s becomes %s', (text, expected) => {
    expect(marked(text)).toBe(expected)
  })

  test('a private key is found whole, cut off, numbered and as one escaped line', () => {
    const body = `${'MIIEpAIBAAKCAQEA7bq'.repeat(4)}\n${'q0Zr+8Xk/3vT'.repeat(5)}\n`
    const whole = `-----BEGIN PRIVATE KEY-----\n${body}-----END PRIVATE KEY-----`
    const numbered = whole
      .split('\n')
      .map((line, index) => `${index + 1}\t${line}`)
      .join('\n')

    expect(marked(`a\n${whole}\nb`)).toBe('a\n[private-key]\nb')
    expect(marked(`a\n-----BEGIN RSA PRIVATE KEY-----\n${body}`)).toBe('a\n[private-key]\n')
    expect(marked(numbered)).toBe('1\t[private-key]')
    expect(marked(JSON.stringify({ private_key: `${whole}\n` }))).toBe('{"private_key":"[private-key]\\n"}')
  })

  test('a comment that switches a scanner off changes nothing', async () => {
    const text = `// secretlint-disable\nconst k = '${key}' // secretlint-disable-line\n`

    expect((await redact(text)).found.map(({ kind }) => kind)).toEqual(['aws-key'])
  })
})

describe('what is none', () => {
  test.each([
    'password: string',
    'const password = getPassword2()',
    'token: token1Value,',
    'password: "required"',
    'password = "${DB_PASSWORD}"',
    'PASSWORD=<your-password>',
    'api_key = process.env.API_KEY',
    'API_KEY=YOUR_API_KEY_HERE',
    'secret: "changeme"',
    'postgres://user:password@localhost/db',
    'https://example.com:8080/@scope/name',
    'paths: ["user.password", "data[0].secret"]',
    'const token = tokens[index + 1]',
    'if (password === other.password2) return',
    'const header = "-----BEGIN PRIVATE KEY-----" // then the body, then the end',
    '"integrity": "sha512-AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789=="',
    'hash: 9e107d9d372bb6826bd81d3542a419d6',
    'id: 123e4567-e89b-12d3-a456-426614174000',
    '[secret:password:k3f9:1]',
    'password=[secret:password:k3f9:1]',
    'the login page asks for a password v2.0',
    '<input name="password" value="required">',
    'password: |\n\nnext: Tr0ub4dor&3',
    `certificate-authority-data: ${inBase64('-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTAN')}`,
    'QUtJQQ== is only how such a key begins',
  ])('%s', (text) => {
    expect(scanSecrets(text)).toEqual([])
  })

  test('less than one false hit in 10,000 lines of ordinary source', async () => {
    const { lines, hits } = await falseHits(20_000)

    expect(lines).toBeGreaterThan(19_000)
    expect({ hits, rate: hits.length / (lines / 10_000) < 1 }).toMatchObject({ rate: true })
  })
})

describe('text made to be slow', () => {
  test.each([
    'pwd:',
    'pwd=',
    'password is ',
    '://a:',
    'eyJ-',
    '-----BEGIN PRIVATE KEY-----\n',
    '\\nsk-proj-',
    'token.token.=',
    'pwd=\'pwd="',
    'apiKey: string = ',
    'SG.aaaaaaaaaaaaaaaaaaaa',
  ])('a megabyte of %s is read to its end', (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length))

    expect(scanSecrets(`${text} ${key}`).at(-1)?.kind).toBe('aws-key')
  })

  test('findings are in order and never overlap, whatever the text', () => {
    const pieces = [
      'password',
      '=',
      ':',
      '"',
      ' ',
      '\n',
      '://',
      '@',
      'u:p4ssw0rdx',
      key,
      '-----BEGIN ',
      'eyJ',
      '.',
      'x1Y2z3',
    ]
    const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''))

    fc.assert(
      fc.property(hostile, (text) => {
        const places = scanSecrets(text).flatMap(({ start, end }) => [start, end])

        expect(places).toEqual(places.toSorted((a, b) => a - b))
      }),
      { numRuns: runs(75, 300) },
    )
  })
})

const marked = (text: string): string =>
  scanSecrets(text).reduceRight(
    (left, { start, end, kind }) => `${left.slice(0, start)}[${kind}]${left.slice(end)}`,
    text,
  )
