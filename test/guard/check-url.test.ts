import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { checkUrl } from '../../src/guard/check-url.ts'

const toPublic = { resolve: async () => ['93.184.216.34'] }
const toLoopback = { resolve: async () => ['127.0.0.1'] }

type Attack = { id: string; url: string; expect: string }

const attacks = readFileSync(new URL('./fixtures/urls.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Attack)
  .filter(({ expect: wanted }) => wanted.startsWith('block') && !wanted.includes('hop'))

describe('a corpus of URLs that lead inside', () => {
  test.each(attacks.map(({ id, url }) => [id, url]))('%s %s is refused', async (_, url) => {
    expect((await checkUrl(url, toLoopback)).ok).toBe(false)
  })
})

describe('refused whatever names resolve to', () => {
  test.each([
    'http://127.0.0.1.',
    'http://127.1',
    'http://2130706433/',
    'http://017700000001/',
    'http://0x7f.0.0.1/',
    'http://0/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::7f00:1]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a00:1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/',
    'http://[2606:4700::5efe:7f00:1]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://168.63.129.16/',
    'http://169.254.169.254./',
    'http://localhost./',
    'http://a.localhost/',
    'http://printer/',
    'http://printer.local/',
    'http://metadata.google.internal/',
    'http://１２７.0.0.1/',
    'http://user@example.com/',
    'http://user:pass@example.com/',
    'http://example.com\\@127.0.0.1/',
    'http://example.com/\u202E',
    'http:127.0.0.1',
    'http:///127.0.0.1',
    '//127.0.0.1/',
    'ftp://example.com/',
    'javascript:alert(1)',
    'example.com',
    '',
  ])('%s', async (url) => {
    expect((await checkUrl(url, toPublic)).ok).toBe(false)
  })

  test('the addresses of this machine', async () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])

    const checks = await Promise.all(
      own.map(({ address, family }) => checkUrl(`http://${family === 'IPv6' ? `[${address}]` : address}/`)),
    )

    expect(checks.filter(({ ok }) => ok)).toEqual([])
  })
})

describe('open', () => {
  test.each([
    'https://example.com/',
    'http://93.184.216.34/x',
    'https://docs.example.org:8443/a?b=c',
    'https://xn--bcher-kva.example/',
    'https://[2606:2800:220:1:248:1893:25c8:1946]/',
    'https://[::ffff:93.184.216.34]/',
    'https://[64:ff9b::5db8:d822]/',
    'https://example.net./',
    'HTTP://EXAMPLE.COM',
  ])('%s', async (url) => {
    expect(await checkUrl(url, toPublic)).toEqual({ ok: true })
  })
})

test('every address of a name must be public', async () => {
  expect(await checkUrl('http://a.example/', { resolve: async () => ['93.184.216.34', '::1'] })).toEqual({
    ok: false,
    why: 'a.example (::1) is an address of this machine',
  })
})

test('a name that cannot be resolved, or to nothing, is refused and said so', async () => {
  const failing = {
    resolve: async () => {
      throw new Error('no such name')
    },
  }

  expect(await checkUrl('http://a.example/', failing)).toEqual({
    ok: false,
    why: 'a.example could not be found: no such name',
  })
  expect((await checkUrl('http://a.example/', { resolve: async () => [] })).ok).toBe(false)
})
