import { expect, test } from 'vitest'
import { maskUrls } from '../../src/lib/mask-url.ts'

test.each([
  ['http://u:hunter2@h:1/v1', 'http://********@h:1/v1'],
  ['http://ghp_abc@h/v1', 'http://********@h/v1'],
  ['nats://a:p@ss@h:4222', 'nats://********@h:4222'],
  ['http://u:p/w?x@h/v1', 'http://********@h/v1'],
  ['http://u:p%40@[::1]:8080/v1', 'http://********@[::1]:8080/v1'],
  ['postgresql+psycopg://u:p@h/db', 'postgresql+psycopg://********@h/db'],
  ['https://h/v1?api_key=abc&model=m', 'https://h/v1?api_key=********&model=m'],
  [
    'https://h/v1?a=1;Password=abc#access_token=def',
    'https://h/v1?a=1;Password=********#access_token=********',
  ],
  ['https://h/v1?%74oken=abc', 'https://h/v1?%74oken=********'],
  ['https://h/v1?sk-0123456789abcdefghij', 'https://h/v1?********'],
  ['see "http://u:p@h/" and <ws://x:y@h>.', 'see "http://********@h/" and <ws://********@h>.'],
])('%s is shown as %s', (text, shown) => {
  expect(maskUrls(text)).toBe(shown)
})

test.each([
  'http://127.0.0.1:8080/v1',
  'http://[::1]:8080/v1',
  'https://registry.example/@scope/name',
  'https://h/v1?model=m&page=2#top',
  'mail me@example.com: no address here',
  '',
])('%s is shown as it is', (text) => {
  expect(maskUrls(text)).toBe(text)
})

test('a long text costs little', () => {
  const before = process.cpuUsage()

  for (const piece of ['a', 'a:', '://', 'a://', '@', 'http://u:', '?a=', '&;'])
    maskUrls(piece.repeat(200_000))

  // Time of the processor, in microseconds: other programs run beside the tests.
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000)
})
