/**
 * What comes to a listener and must not be accepted: bytes that are no TLS, HTTP of every sort, and questions of a
 * peer with one thing wrong. Values that fast-check draws.
 */
import * as fc from 'fast-check'
import { questionOf } from './machines.ts'

export const generateBody = { version: 1, model: 'm', request: questionOf('hi') }

/** Something that was right, with one thing wrong. */
export const wrongBody: fc.Arbitrary<readonly [string, unknown]> = fc.oneof(
  fc.tuple(fc.constantFrom('/generate', '/report', '/pair'), fc.jsonValue()),
  fc.tuple(
    fc.constant('/generate'),
    fc
      .tuple(
        fc.constantFrom('version', 'model', 'request'),
        fc.oneof(fc.constant(null), fc.integer({ max: 0 }), fc.object(), fc.constant([])),
      )
      .map(([key, value]) => ({ ...generateBody, [key]: key === 'model' ? 7 : value })),
  ),
  fc.tuple(
    fc.constant('/generate'),
    fc
      .tuple(
        fc.constantFrom('messages', 'tools', 'system', 'runId', 'turn', 'temperature', 'stop'),
        fc.constantFrom(null, -1, 1e300, { a: 1 }, [[[]]], [null], true),
      )
      .map(([key, value]) => ({ ...generateBody, request: { ...generateBody.request, [key]: value } })),
  ),
  fc.tuple(
    fc.constant('/generate'),
    fc.integer({ min: 65, max: 300 }).map((depth) => ({
      ...generateBody,
      request: {
        ...generateBody.request,
        tools: [{ name: 'x', parameters: JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth)) }],
      },
    })),
  ),
  fc.tuple(fc.constantFrom('/generate', '/report'), fc.constant({ ...generateBody, version: 2 })),
  fc.tuple(fc.webPath(), fc.constant(generateBody)),
)

/** Bytes that are no greeting of TLS, or only begin like one: any kind of record, of a length that is not kept. */
export const noGreeting: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 20_000 }),
  fc
    .tuple(fc.constantFrom(20, 21, 22, 23, 24, 128), fc.nat(65_535), fc.uint8Array({ maxLength: 20_000 }))
    .map(([type, length, body]) => Uint8Array.of(type, 3, 3, length >> 8, length & 255, ...body)),
  fc.constantFrom('GET / HTTP/1.1\r\nhost: x\r\n\r\n', 'SSH-2.0-x\r\n').map((text) => Buffer.from(text)),
)

/** What becomes of a real greeting on its way. */
type Damage = {
  readonly kept: number
  readonly changed: readonly (readonly [number, number])[]
  readonly times: number
}

export const damage: fc.Arbitrary<Damage> = fc.record({
  kept: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  changed: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), { maxLength: 4 }),
  times: fc.integer({ min: 1, max: 40 }),
})

export function damaged(greeting: Buffer, { kept, changed, times }: Damage): Buffer {
  const bytes = Buffer.from(greeting)
  for (const [where, byte] of changed) bytes[Math.floor(where * (bytes.length - 1))] = byte
  return Buffer.concat(Array.from({ length: times }, () => bytes.subarray(0, Math.ceil(kept * bytes.length))))
}

const method = fc.oneof(
  { weight: 8, arbitrary: fc.constant('POST') },
  fc.constantFrom(
    'GET',
    'HEAD',
    'PUT',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'CONNECT',
    'PRI',
    'M-SEARCH',
    'post',
    '',
  ),
)

const path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('/report', '/generate', '/pair') },
  fc.constantFrom('/', '*', '//report', '/REPORT', '/report/', '/report?a', '/%72eport', '/x/../report'),
  fc.constantFrom(
    'http://127.0.0.1/report',
    '/__proto__',
    '/constructor',
    '/v1/models',
    '/v1/federation/health',
  ),
  fc.webPath(),
  fc.string({ maxLength: 40 }),
  fc.nat(20_000).map((length) => `/${'a'.repeat(length)}`),
)

const header = fc.oneof(
  fc.constantFrom(
    'connection: keep-alive',
    'connection: upgrade\r\nupgrade: h2c',
    'expect: 100-continue',
    'expect: the-moon',
    'transfer-encoding: chunked',
    'transfer-encoding: gzip, chunked',
    'content-length: 5',
    'content-length: -1',
    'content-length: 99999999999999999999',
    'host: y',
    'x-forwarded-for: 127.0.0.1',
    'authorization: Bearer covey',
    ' folded: x',
    'no colon',
  ),
  fc.tuple(fc.string({ maxLength: 20 }), fc.string({ maxLength: 60 })).map((pair) => pair.join(': ')),
  fc.nat(12_000).map((length) => `x-long: ${'a'.repeat(length)}`),
  fc.nat(3_000).map((count) => 'x: y\r\n'.repeat(count) + 'x: y'),
)

const body = fc.oneof(
  fc.constantFrom(
    '',
    '{"version":1}',
    '{"version":2}',
    '{"version":1,"port":1}',
    JSON.stringify(generateBody),
  ),
  fc.json(),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom(5_000, 200_000, 2_000_000).map((length) => 'a'.repeat(length)),
)

/** HTTP of a kind, none of which a client without the right key may send. */
export const wrongHttp: fc.Arbitrary<string> = fc
  .record({
    method,
    path,
    version: fc.oneof(
      { weight: 8, arbitrary: fc.constant('HTTP/1.1') },
      fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'X'),
    ),
    host: fc.constantFrom('host: x\r\n', 'host: x\r\n', 'host: x\r\n', ''),
    headers: fc.array(header, { maxLength: 1 }),
    body,
    kept: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
    times: fc.constantFrom(1, 1, 1, 3),
  })
  .map(({ method, path, version, host, headers, body, kept, times }) => {
    const length = `content-length: ${Buffer.byteLength(body)}`
    const head = [`${method} ${path} ${version}`, `${host}${length}`, ...headers].join('\r\n')
    const text = `${head}\r\n\r\n${body}`.repeat(times)
    return text.slice(0, Math.ceil(kept * text.length))
  })

export async function inParallel<T>(items: readonly T[], lanes: number, act: (item: T) => Promise<void>) {
  const left = [...items]
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await act(item)
    }),
  )
}
