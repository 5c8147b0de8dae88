/**
 * How fast secrets are found: 10 MB of ordinary and of hostile text each, through everything `outgoing` does, and a
 * megabyte through a stream in small pieces. A finder that is not linear shows here first; each line must stay under a
 * second of processor time.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFiles } from '../src/guard/files.ts'
import { createFirewall } from '../src/guard/firewall.ts'

const SIZE = 10_000_000
const CHUNK = 64
const LIMIT_MS = 1000

const src = fileURLToPath(new URL('../src', import.meta.url))
const code = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(src, name), 'utf8'))
  .join('\n')

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
  const whole = await cpu(() => firewall.outgoing(text))
  const megabyte = text.slice(0, SIZE / 10)
  const streamed = await cpu(() => {
    const stream = newFirewall().stream()
    for (let at = 0; at < megabyte.length; at += CHUNK) stream.push(megabyte.slice(at, at + CHUNK))
    stream.end()
  })
  if (Math.max(whole, streamed) > LIMIT_MS) slow++
  console.log(
    `${name.padEnd(28)} 10 MB whole ${whole.toFixed(0).padStart(5)} ms   1 MB streamed ${streamed.toFixed(0).padStart(5)} ms`,
  )
}
console.log(slow === 0 ? 'all under a second' : `${slow} over a second`)
process.exitCode = slow === 0 ? 0 : 1
