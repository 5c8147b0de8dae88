/** How the page gets in: files for anybody of this machine, a code for a token, and what that token may do. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTokens } from '../../../src/server/http/tokens.ts'
import { defineRoute, type Scope, scopes } from '../../../src/server/http/route.ts'
import { accessRoutes } from '../../../src/server/web/access.ts'
import { assetRoutes } from '../../../src/server/web/assets.ts'
import { openCodes } from '../../../src/server/web/codes.ts'
import { until } from '../../support/wait.ts'
import { openTestServer, send, tempFolder } from '../support.ts'

const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

async function openPageServer() {
  const folder = await tempFolder()
  await mkdir(join(folder, 'web', 'assets'), { recursive: true })
  await writeFile(join(folder, 'web', 'index.html'), '<!doctype html><title>Covey</title>')
  await writeFile(join(folder, 'web', 'assets', 'index-abc.js'), 'export const a = 1\n')
  await writeFile(join(folder, 'secret.js'), 'secret')
  const tokens = openTokens(join(folder, 'tokens'))
  const codes = openCodes(join(folder, 'page-codes'))
  const perScope = scopes.map((scope) =>
    defineRoute({
      method: 'GET',
      path: `/only/${scope}`,
      scope,
      summary: scope,
      handle: async () => ({ kind: 'json', body: {} }),
    }),
  )
  const told: string[] = []
  const routes = [
    ...assetRoutes(join(folder, 'web')),
    ...accessRoutes({
      codes,
      tokens,
      audit: ({ why }) => void told.push(why),
      version: '1.2.3',
      workspace: '/shop',
      onTab: () => void told.push('a tab'),
    }),
    ...perScope,
  ]
  const open = await openTestServer(routes, { tokens })
  const redeem = (code: string) =>
    send(open.port, { method: 'POST', path: '/v1/page/token', body: JSON.stringify({ code }) })
  const allowed = async (token: string): Promise<readonly Scope[]> => {
    const replies = await Promise.all(
      scopes.map((scope) =>
        send(open.port, { path: `/only/${scope}`, headers: { authorization: `Bearer ${token}` } }),
      ),
    )
    return scopes.filter((_, index) => replies[index]?.status === 200)
  }
  return { ...open, folder, tokens, codes, redeem, allowed, told }
}

describe('the files of the page', () => {
  test('come with the policy of the page, and those with a hash are kept for a year', async () => {
    const { port } = await openPageServer()

    const page = await send(port, { path: '/' })
    const script = await send(port, { path: '/assets/index-abc.js' })

    expect([page.status, page.text]).toEqual([200, '<!doctype html><title>Covey</title>'])
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    expect(page.headers['set-cookie']).toBeUndefined()
    expect([script.status, script.text]).toEqual([200, 'export const a = 1\n'])
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })

  test('are packed for clients that can unpack them', async () => {
    const { url } = await openPageServer()

    const response = await fetch(`${url}/assets/index-abc.js`, { headers: { 'accept-encoding': 'gzip' } })

    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(await response.text()).toBe('export const a = 1\n')
  })

  test.each([
    '/assets/../secret.js',
    '/assets/%2e%2e/secret.js',
    '/assets/..%2fsecret.js',
    '/assets/none.js',
  ])('%s is none of them', async (path) => {
    const { port } = await openPageServer()

    const reply = await send(port, { path })

    expect([401, 404]).toContain(reply.status)
    expect(reply.text).not.toContain('secret')
  })

  test.each([
    ['another host', { host: 'evil.example' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('are refused to %s', async (_name, headers) => {
    const { port } = await openPageServer()

    const reply = await send(port, { path: '/', headers })

    expect(reply.status).toBe(403)
  })
})

describe('a code', () => {
  test('is worth one token, of the scopes it was made for', async () => {
    const { codes, redeem, allowed, told, tokens } = await openPageServer()
    const code = await codes.create(['admin'])

    const first = await redeem(code)
    const second = await redeem(code)
    const { token } = first.json() as { token: string }

    expect(first.status).toBe(200)
    expect(await allowed(token)).toEqual(['read', 'chat', 'tools', 'approve', 'admin'])
    expect([second.status, second.json()]).toMatchObject([401, { error: { code: 'code_wrong' } }])
    expect(told).toEqual(['a wrong code'])
    expect((await tokens.list()).filter(({ name }) => name.startsWith('page-'))).toHaveLength(1)
  })

  test('and the first request of its tab prepares what a session will need, unless it may only look', async () => {
    const { codes, redeem, told, port } = await openPageServer()
    const look = async (scope: 'read' | 'tools') => {
      const { token } = (await redeem(await codes.create([scope]))).json() as { token: string }
      return send(port, { path: '/v1/page', headers: { authorization: `Bearer ${token}` } })
    }

    const reply = await look('read')
    await look('tools')
    await until(() => told.length > 0)

    expect(reply.json()).toMatchObject({ scopes: ['read'], version: '1.2.3', workspace: '/shop' })
    expect(told).toEqual(['a tab'])
  })

  test('of two who redeem it at once, one gets a token', async () => {
    const { codes, redeem } = await openPageServer()
    const code = await codes.create(['read'])

    const replies = await Promise.all(Array.from({ length: 8 }, () => redeem(code)))

    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('counts for a minute', async () => {
    const folder = await tempFolder()
    let now = 1_000
    const codes = openCodes(join(folder, 'codes'), () => now)
    const late = await codes.create(['read'])
    now += 59_999
    const inTime = await codes.create(['read'])
    now += 1

    expect(await codes.redeem(late)).toBeUndefined()
    expect(await codes.redeem(inTime)).toEqual(['read'])
  })

  test('is kept as its hash, in a file for its owner alone', async () => {
    const folder = await tempFolder()
    const codes = openCodes(join(folder, 'codes'))

    const code = await codes.create(['read'])

    expect(code).toMatch(/^[\w-]{32}$/)
    expect(await readFile(join(folder, 'codes'), 'utf8')).not.toContain(code)
  })
})

describe('a token of the page', () => {
  test('that only reads may look and do nothing else', async () => {
    const { codes, redeem, allowed, port } = await openPageServer()
    const { token } = (await redeem(await codes.create(['read']))).json() as { token: string }

    const about = await send(port, { path: '/v1/page', headers: { authorization: `Bearer ${token}` } })

    expect(await allowed(token)).toEqual(['read'])
    expect(about.json()).toMatchObject({ scopes: ['read'], version: '1.2.3', workspace: '/shop' })
  })

  test('is refused when its time is over, and gone from the list', async () => {
    const folder = await tempFolder()
    let now = Date.parse('2026-01-01T00:00:00Z')
    const tokens = openTokens(join(folder, 'tokens'), () => now)
    const token = await tokens.add('page-1', ['read'], { ttlMs: 1_000 })
    const lasting = await tokens.add('laptop', ['read'])

    const before = await tokens.find(token)
    now += 1_000

    expect(before).toMatchObject({ name: 'page-1', expiresAt: '2026-01-01T00:00:01.000Z' })
    expect(await tokens.find(token)).toBeUndefined()
    expect(await tokens.find(lasting)).toMatchObject({ name: 'laptop' })
    expect((await tokens.list()).map(({ name }) => name)).toEqual(['laptop'])
  })
})
