import { expect, test } from 'vitest'
import { mcpSchema, toMcpServers } from '../../src/config/mcp.ts'
import { toolHostSchema, toToken } from '../../src/config/tool-host.ts'

const read = (servers: object, { env = {}, offline = false } = {}) =>
  toMcpServers(mcpSchema.parse({ servers }), { env, offline })

test('a server is a program or an address; its secrets come from the environment', () => {
  const { servers, problems } = read(
    {
      files: { command: 'files-server', args: ['.'], env: { KEY: '${FILES_KEY}' } },
      web: {
        url: 'https://mcp.example.org/mcp',
        headers: { authorization: 'Bearer ${WEB_KEY}' },
        timeout_s: 5,
      },
    },
    { env: { FILES_KEY: 'f1', WEB_KEY: 'w1' } },
  )

  expect(problems.size).toBe(0)
  expect(servers).toMatchObject([
    {
      name: 'files',
      command: 'files-server',
      args: ['.'],
      env: { KEY: 'f1' },
      category: 'meta',
      timeoutMs: 60_000,
    },
    { name: 'web', headers: { authorization: 'Bearer w1' }, timeoutMs: 5_000 },
  ])
})

test('what cannot be used is named with the reason and stops nothing', () => {
  const { servers, problems } = read(
    {
      off: { command: 'x', enabled: false },
      none: {},
      both: { command: 'x', url: 'http://127.0.0.1:1/mcp' },
      key: { command: 'x', env: { A: '${NO_SUCH}' } },
      web: { url: 'http://127.0.0.1:1/mcp' },
    },
    { offline: true },
  )

  expect(servers).toEqual([])
  expect(Object.fromEntries(problems)).toEqual({
    none: 'it needs either `command` or `url`',
    both: 'it needs either `command` or `url`',
    key: 'it needs NO_SUCH in the environment',
    web: 'the network is switched off (`offline`)',
  })
})

test('a tool host is an address or `auto`, and its token may come from the environment', () => {
  const isValid = (url: string) => toolHostSchema.safeParse({ url }).success

  expect(['auto', 'http://192.168.1.20:17616', 'ftp://x', 'somewhere'].map(isValid)).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(toToken('${TOOLS}', { TOOLS: 't1' })).toBe('t1')
  expect(toToken('${TOOLS}', {})).toBeUndefined()
  expect(toToken(undefined, {})).toBeUndefined()
})
