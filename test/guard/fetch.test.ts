import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFetch } from '../../src/guard/fetch.ts'

/** The server plays the public web: 127.0.0.1 counts as public here, every other address does not. */
const publicWeb = {
  refused: (address: string) => (address === '127.0.0.1' ? undefined : 'is private'),
  resolve: async (host: string) => (host.startsWith('inside') ? ['10.0.0.1'] : ['127.0.0.1']),
}

const fetchPage = createFetch(publicWeb)
const never = () => ({ signal: new AbortController().signal })

const seen: { host: string; path: string; headers: IncomingMessage['headers'] }[] = []
let server: Server
let port: number
const url = (path: string, host = 'public.example') => `http://${host}:${port}${path}`

const routes: Record<string, (response: ServerResponse) => void> = {
  '/page': (response) =>
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(
        `<html><head><title>Grüße</title><script>evil()</script></head><body><nav>menu</nav><article><h1>Heading</h1>` +
          `<p>${'Some words of an article. '.repeat(30)}</p><pre><code>let a = 1</code></pre></article></body></html>`,
      ),
  '/latin': (response) =>
    response.setHeader('content-type', 'text/plain; charset=iso-8859-1').end(Buffer.from([0x67, 0xfc])),
  '/json': (response) => response.setHeader('content-type', 'application/json').end('{"a":1}'),
  '/binary': (response) => response.setHeader('content-type', 'text/plain').end(Buffer.from([1, 0, 2])),
  '/image': (response) => response.setHeader('content-type', 'image/svg+xml').end('<svg/>'),
  '/bomb': (response) =>
    response
      .setHeader('content-encoding', 'gzip')
      .setHeader('content-type', 'text/plain')
      .end(gzipSync(Buffer.alloc(30_000_000, 97))),
  '/slow': (response) => void response.write('a'),
  '/missing': (response) => response.writeHead(404).end('nothing here'),
  '/inside': (response) => response.writeHead(302, { location: url('/secret', 'inside.example') }).end(),
  '/literal': (response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
  '/file': (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/away': (response) => response.writeHead(302, { location: url('/json', 'other.example') }).end(),
  '/refresh': (response) =>
    response
      .setHeader('content-type', 'text/html')
      .end('<meta http-equiv="refresh" content="0;url=http://10.0.0.1/"><p>stay</p>'),
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '/'
    seen.push({ host: request.headers.host ?? '', path, headers: request.headers })
    const hops = /^\/hops\/(\d+)$/.exec(path)?.[1]
    if (hops !== undefined) {
      const left = Number(hops)
      if (left === 0) response.end('arrived')
      else response.writeHead(302, { location: `/hops/${left - 1}` }).end()
    } else routes[path]?.(response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe('what comes back', () => {
  test('of a page its main part, as markdown', async () => {
    const page = await fetchPage(url('/page'), never())

    expect(page).toMatchObject({ url: url('/page'), status: 200, mediaType: 'text/html', title: 'Grüße' })
    expect(page.text).toMatch(/^## Heading\n\nSome words/)
    expect(page.text).toContain('```\nlet a = 1\n```')
    expect(page.text).not.toMatch(/evil|menu/)
  })

  test('of other text the text itself, in its own character set', async () => {
    expect((await fetchPage(url('/json'), never())).text).toBe('{"a":1}')
    expect((await fetchPage(url('/latin'), never())).text).toBe('gü')
  })

  test('an error page with its status', async () => {
    expect(await fetchPage(url('/missing'), never())).toMatchObject({ status: 404, text: 'nothing here' })
  })

  test.each([
    ['/binary', /it is no text but text\/plain \(3 bytes\)/],
    ['/image', /it is no text but image\/svg\+xml/],
    ['/bomb', /it is larger than 10240 KiB/],
  ])('nothing of %s', async (path, message) => {
    await expect(fetchPage(url(path), never())).rejects.toThrow(message)
  })
})

describe('redirects', () => {
  test('are followed up to five times', async () => {
    expect(await fetchPage(url('/hops/5'), never())).toMatchObject({ url: url('/hops/0'), text: 'arrived' })
    await expect(fetchPage(url('/hops/6'), never())).rejects.toThrow('it was redirected more than 5 times')
  })

  test.each([
    ['/inside', /inside\.example \(10\.0\.0\.1\) is private/],
    ['/literal', /10\.0\.0\.1 is private/],
    ['/file', /only http and https/],
  ])('are judged like the first address: %s', async (path, message) => {
    await expect(fetchPage(url(path), never())).rejects.toMatchObject({
      code: 'permission-denied',
      message: expect.stringMatching(message),
    })
  })

  test('to a denied host are refused', async () => {
    const denying = createFetch({
      ...publicWeb,
      rules: [{ tool: '*', pattern: 'other.example', verdict: 'deny' }],
    })

    await expect(denying(url('/away'), never())).rejects.toThrow('the rule "* other.example" denies it')
  })

  test('of a page are not obeyed', async () => {
    expect((await fetchPage(url('/refresh'), never())).text).toBe('stay')
  })

  test('take no credentials to another origin', async () => {
    seen.length = 0

    await fetchPage(url('/away'), { ...never(), headers: { authorization: 'Bearer k', cookie: 'a=b' } })

    expect(seen.map(({ host, headers }) => [host, headers.authorization, headers.cookie])).toEqual([
      [`public.example:${port}`, 'Bearer k', 'a=b'],
      [`other.example:${port}`, undefined, undefined],
    ])
  })
})

test('the connection goes to the address that was judged, whatever the name says a moment later', async () => {
  let asked = 0
  const rebinding = createFetch({
    ...publicWeb,
    resolve: async () => (++asked === 1 ? ['127.0.0.1'] : ['10.0.0.1']),
  })

  expect((await rebinding(url('/json', 'rebind.example'), never())).text).toBe('{"a":1}')
  expect(asked).toBe(1)
})

describe('ends', () => {
  test('at its time limit, and says so', async () => {
    const hurried = createFetch({ ...publicWeb, timeoutMs: 150 })

    await expect(hurried(url('/slow'), never())).rejects.toMatchObject({
      message: expect.stringContaining('it took longer than 0.15 s'),
      details: { failure: 'timeout' },
    })
  })

  test('when it is cancelled', async () => {
    const cancel = new AbortController()
    const running = fetchPage(url('/slow'), { signal: cancel.signal })
    setTimeout(() => cancel.abort(), 50)

    await expect(running).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('before it begins where the configuration says offline', async () => {
    await expect(createFetch({ ...publicWeb, offline: true })(url('/json'), never())).rejects.toMatchObject({
      code: 'offline',
    })
  })
})

test('a page made to choke the parser still gives its words', async () => {
  const monsters = [
    '<div>'.repeat(100_000) + 'word',
    '<'.repeat(200_000) + 'word',
    '&amp;'.repeat(100_000) + 'word',
  ]
  for (const monster of monsters) {
    routes['/monster'] = (response) => response.setHeader('content-type', 'text/html').end(`<html>${monster}`)

    expect((await fetchPage(url('/monster'), never())).text).toContain('word')
  }
})
