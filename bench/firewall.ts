/**
 * How fast secrets are found: 10 MB of ordinary and of hostile text each, through everything `outgoing` does, once with
 * its secrets unknown and once with them known, and a megabyte through a stream in small pieces. A finder that is not
 * linear shows here first; each figure must stay under a second of processor time.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFiles } from '../src/guard/paths/files.ts'
import { createFirewall } from '../src/guard/secrets/firewall.ts'

const SIZE = 10_000_000
const CHUNK = 64
const LIMIT_MS = 1000

const src = fileURLToPath(new URL('../src', import.meta.url))
const code = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(src, name), 'utf8'))
  .join('\n')

/** No two pieces alike: what is known of one is of no use for the next. */
const numbered = (piece: (number: string) => string): string => {
  const pieces: string[] = []
  for (let length = 0; length < SIZE; length += pieces.at(-1)?.length ?? 0) {
    pieces.push(piece((pieces.length * 7919).toString(36).padStart(5, '0')))
  }
  return pieces.join('')
}

const inputs: Readonly<Record<string, string>> = {
  code,
  'code beyond Latin': `${code}漢`,
  'one long line': 'word ',
  hex: 'a8f5f167f44f4964e6c998dee827110c',
  'equal signs': '=',
  colons: ':',
  'names without values': 'pwd:',
  'values that are names': 'pwd=',
  'open quotes': 'pwd="',
  'quotes inside quotes': 'pwd=\'pwd="',
  'escaped ends': 'pwd="\\',
  passwords: 'password=Tr0ub4dor&3x ',
  'keys, no two alike': numbered((number) => `ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P${number} `),
  'long names': `${'a'.repeat(63)}=`,
  'names in paths': `${'token.'.repeat(10)}=`,
  'typed names': 'apiKey: string = ',
  'prose about passwords': 'password is ',
  addresses: 'postgres://a:',
  'addresses with passwords': 'postgres://a:b1c2d3e4@h ',
  'halves of tokens': 'eyJ-',
  'dotted halves': 'eyJaaaaaaaaaaaaaaaa.eyJaaaaaaaa.',
  prefixes: '\\nsk-proj-',
  'private keys without end': '-----BEGIN PRIVATE KEY-----\n',
  dashes: '-',
  dots: '.abcdef',
  elements: '<password>',
  headers: 'Authorization: Bearer ',
  flags: '--token ',
  'hidden characters': 'a\u200B',
  placeholders: '[secret:aws-key:k3f9:1] ',
}

const cpu = async (act: () => unknown): Promise<number> => {
  const before = process.cpuUsage()
  await act()
  return process.cpuUsage(before).user / 1000
}

/** Whatever else the machine does only adds to it. */
const least = async (figures: readonly (() => Promise<number>)[]): Promise<number> => {
  let ms = Number.POSITIVE_INFINITY
  for (const figure of figures) ms = Math.min(ms, await figure())
  return ms
}

const newFirewall = () =>
  createFirewall({
    files: createFiles({ root: tmpdir() }),
    known: Array.from({ length: 200 }, (_, index) => ({
      kind: 'key',
      value: `kn0wn-v4lue-${index}-${index * 7919}`,
    })),
  })

let slow = 0
for (const [name, piece] of Object.entries(inputs)) {
  const text = piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE)
  const firewall = newFirewall()
  const read = (by: typeof firewall) => () => cpu(() => by.outgoing(text))
  const whole = await least([read(firewall), read(newFirewall())])
  const again = await least([read(firewall), read(firewall)])
  const megabyte = text.slice(0, SIZE / 10)
  const streamed = await cpu(() => {
    const stream = newFirewall().stream()
    for (let at = 0; at < megabyte.length; at += CHUNK) stream.push(megabyte.slice(at, at + CHUNK))
    stream.end()
  })
  if (Math.max(whole, again, streamed) > LIMIT_MS) slow++
  const shown = [whole, again, streamed].map((ms) => `${ms.toFixed(0).padStart(5)} ms`)
  console.log(`${name.padEnd(28)} 10 MB ${shown[0]}   again ${shown[1]}   1 MB streamed ${shown[2]}`)
}
console.log(slow === 0 ? 'all under a second' : `${slow} over a second`)
process.exitCode = slow === 0 ? 0 : 1
