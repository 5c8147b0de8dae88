import { expect, test } from 'vitest'
import { explainConfig } from '../../src/config/explain.ts'
import { listKeys, meaningOf } from '../../src/config/keys.ts'
import { loadConfig } from '../../src/config/load.ts'
import { stringify } from 'smol-toml'
import { maskSecrets } from '../../src/config/mask.ts'
import { Config } from '../../src/config/schema.ts'
import { formatKey } from '../../src/config/tree.ts'
import { tempHome } from './home.ts'

const user = `
[arms.cloud]
kind = "openai"
base_url = "https://me:hunter2@example.test/v1?key=abc"
api_key = "sk-literal"
[arms.cloud.headers]
Authorization = "Bearer \${TOKEN}"
X-Key = "literal-\${TOKEN}"
`

test('a key is explained by its value, its origin, its default and its meaning', async () => {
  const home = tempHome({ user: '[engine]\nmax_turns = 12' })

  const explanations = explainConfig(await loadConfig(home), 'engine.max_turns')

  expect(explanations).toEqual([
    {
      key: 'engine.max_turns',
      value: 12,
      origin: { layer: 'user', file: home.userFile, line: 2 },
      default: 50,
      expected: 'a whole number of at least 1',
      meaning: 'A run ends after this many turns.',
    },
  ])
})

test('without a key everything that has a value is explained', async () => {
  const loaded = await loadConfig(tempHome({ user: '[checks]\n"*.ts" = "tsc"' }))

  const keys = explainConfig(loaded).map(({ key }) => key)

  expect(keys).toEqual([
    'router.cloud',
    'router.tiers',
    'router.exploration',
    'router.classifier',
    'router.discover',
    'swarm.mode',
    'swarm.workers',
    'swarm.most',
    'swarm.ahead',
    'swarm.ahead_to_destroy',
    'swarm.least',
    'swarm.quorum',
    'swarm.deadline_s',
    'swarm.rounds',
    'swarm.escalate_from',
    'swarm.sure',
    'tui.keys',
    'tui.notify',
    'tui.notify_after_s',
    'federation.enabled',
    'federation.port',
    'federation.peers',
    'federation.discover',
    'federation.transport',
    'federation.nats.allow_plain',
    'federation.nats.prefix',
    'federation.nats.trusted',
    'federation.nats.lanes',
    'federation.nats.refresh_s',
    'federation.nats.gone_s',
    'federation.nats.ack_wait_s',
    'federation.nats.deadline_s',
    'federation.nats.first_token_s',
    'federation.health_s',
    'federation.gone_s',
    'federation.stall_s',
    'mcp.serve',
    'memory.enabled',
    'memory.keep',
    'memory.code_index',
    'memory.repo_map',
    'tool_host.tools',
    'engine.max_turns',
    'engine.tools',
    'engine.evidence',
    'engine.max_messages',
    'permission.mode',
    'permission.rules',
    'sandbox.network',
    'sandbox.readable',
    'sandbox.writable',
    'secrets.entropy',
    'checks."*.ts"',
    'exec.timeout_s',
    'exec.long_timeout_s',
    'server.fit',
    'sessions.keep',
    'offline',
    'log.level',
  ])
})

test('a table is explained with the keys that could be set in it', async () => {
  const none = await loadConfig(tempHome())
  const one = await loadConfig(tempHome({ user }))

  const possible = explainConfig(none, 'arms').map(({ key }) => key)
  const actual = explainConfig(one, 'arms.cloud').map(({ key }) => key)

  expect(possible).toContain('arms.<id>.window')
  expect(actual).toContain('arms.cloud.window')
  expect(actual).toContain('arms.cloud.headers.X-Key')
  expect(actual.every((key) => key.startsWith('arms.cloud.'))).toBe(true)
})

test.each([
  ['engine.max_turn', 'engine.max_turn is not a key; did you mean engine.max_turns?'],
  ['engin', 'engin is not a key; did you mean engine?'],
  ['max_turns', 'max_turns is not a key; did you mean engine.max_turns?'],
  ['weather', 'weather is not a key; `covey config explain` lists them.'],
])('the unknown key %s is a mistake with a suggestion', async (key, message) => {
  const loaded = await loadConfig(tempHome())

  expect(() => explainConfig(loaded, key)).toThrow(
    expect.objectContaining({ code: 'config-invalid', message }),
  )
})

test('secrets are masked, names of variables are not', async () => {
  const { config } = await loadConfig(tempHome({ user }))

  expect(maskSecrets(config)['arms']).toEqual({
    cloud: {
      enabled: true,
      strengths: [],
      kind: 'openai',
      base_url: 'https://********:********@example.test/v1?key=********',
      api_key: '********',
      headers: { Authorization: 'Bearer ${TOKEN}', 'X-Key': '********' },
    },
  })
})

test('secrets in commands, arguments and addresses are masked, and the rest of them is shown', async () => {
  const { config } = await loadConfig(
    tempHome({
      user: stringify({
        federation: { nats: { url: 'nats://me:SECRET@host:4222' } },
        tool_host: { url: 'https://me:SECRET@host/' },
        router: { servers: { a: 'http://host/v1?SECRET', b: 'http://host/v1#SECRET' } },
        checks: { '*.ts': 'NPM_TOKEN=SECRET npx tsc --noEmit' },
        hooks: {
          a: { command: 'curl -H "Authorization: Bearer SECRET" https://me:SE@CRET@host/ -d key=${KEY}' },
        },
        mcp: {
          servers: {
            a: {
              args: ['-y', 'pkg', '--api-key', 'SECRET', '--token=SECRET', '--key', '${KEY}', '--keys', '-v'],
            },
          },
        },
      }),
    }),
  )

  const { federation, tool_host: host, router, checks, hooks, mcp } = maskSecrets(config) as Config

  expect([federation.nats.url, host.url]).toEqual(['nats://********@host:4222', 'https://********@host/'])
  expect(router.servers).toEqual({ a: 'http://host/v1?********', b: 'http://host/v1#********' })
  expect(checks).toEqual({ '*.ts': 'NPM_TOKEN=******** npx tsc --noEmit' })
  expect(hooks['a']?.command).toBe(
    'curl -H "Authorization: Bearer ********" https://********@host/ -d key=${KEY}',
  )
  expect(mcp.servers['a']?.args).toEqual([
    '-y',
    'pkg',
    '--api-key',
    '********',
    '--token=********',
    '--key',
    '${KEY}',
    '--keys',
    '-v',
  ])
})

test('no explanation holds a secret', async () => {
  const loaded = await loadConfig(tempHome({ user }))

  const text = JSON.stringify([explainConfig(loaded), explainConfig(loaded, 'arms')])

  expect(text).not.toMatch(/hunter2|abc|sk-literal|literal-/)
})

test('every key has a meaning, and every table can be left out', () => {
  const silent = listKeys().filter(({ path }) => meaningOf(path) === '')

  expect(silent.map(({ path }) => formatKey(path))).toEqual([])
  expect(Config.safeParse({}).success).toBe(true)
})
