import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ArmSettings } from '../../src/protocol/arm.ts'
import { capabilitiesOf } from '../../src/provider/arm-models.ts'
import { scriptedModel } from '../../src/provider/scripted.ts'
import { createArm } from '../../src/router/arm.ts'
import { allServers, type DiscoveryParts, startDiscovery, usualServers } from '../../src/router/discovery.ts'
import type { RouterArm } from '../../src/router/snapshot.ts'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** A server whose list of models the test can change. */
async function modelServer(...first: readonly string[]) {
  let models = first
  let asked = 0
  const baseUrl = await serve((request, response) => {
    asked++
    expect(request.url).toBe('/v1/models')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) }))
  })
  return { baseUrl, asked: () => asked, offer: (...next: readonly string[]) => void (models = next) }
}

async function discover(parts: Partial<DiscoveryParts>) {
  const changes: string[] = []
  let tick = () => {}
  let stopped = false
  const discovery = startDiscovery({
    servers: [],
    createModel: async (settings) => toRouterArm(settings),
    every: (ms, look) => {
      expect(ms).toBe(30_000)
      tick = look
      return () => void (stopped = true)
    },
    onChange: ({ arm, state }) => changes.push(`${arm} ${state}`),
    ...parts,
  })
  onTestFinished(() => discovery.stop())
  await discovery.look()
  return { ...discovery, changes, tick: () => tick(), isStopped: () => stopped }
}

function toRouterArm(settings: ArmSettings): RouterArm {
  const arm = createArm({
    id: settings.id,
    local: settings.local,
    capabilities: capabilitiesOf(settings, undefined),
    native: scriptedModel(),
    counter: { count: () => 0, observe: () => {} },
    countRequest: () => 0,
    learnWindow: () => undefined,
    now: () => 0,
  })
  return { arm, tier: 'local' }
}

const namesOf = (arms: readonly RouterArm[]) =>
  arms.map(({ arm, gone }) => (gone ? `${arm.id} (${gone})` : arm.id))

test('the usual ports of local servers are looked at', () => {
  expect(usualServers.map(({ name, baseUrl }) => `${name} ${new URL(baseUrl).port}`)).toEqual([
    'ollama 11434',
    'llamacpp 8080',
    'lmstudio 1234',
    'vllm 8000',
    'llama-cpp-python 8000',
  ])
})

test('models of a server become arms; those that only embed do not', async () => {
  const { baseUrl } = await modelServer('qwen2.5-coder:7b', 'nomic-embed-text', 'bge-m3')

  const { arms, changes } = await discover({ servers: [{ name: 'ollama', baseUrl }] })

  expect(namesOf(arms())).toEqual(['ollama/qwen2.5-coder:7b'])
  expect(changes).toEqual(['ollama/qwen2.5-coder:7b found'])
})

test('what vanishes is marked, and comes back as the same arm', async () => {
  const server = await modelServer('a', 'b')
  const { arms, look, changes } = await discover({ servers: [{ name: 'box', baseUrl: server.baseUrl }] })
  const [, before] = arms()

  server.offer('a')
  await look()
  expect(namesOf(arms())).toEqual(['box/a', 'box/b (box no longer offers it)'])

  server.offer('a', 'b')
  await look()
  expect(arms()[1]).toBe(before)
  expect(changes).toEqual(['box/a found', 'box/b found', 'box/b gone', 'box/b back'])
})

test('a server that went away takes its arms with it', async () => {
  const server = await modelServer('a')
  let refuse = false
  const fetching: typeof fetch = (...request) =>
    refuse ? Promise.reject(new Error('refused')) : fetch(...request)
  const { arms, look } = await discover({
    servers: [{ name: 'box', baseUrl: server.baseUrl }],
    fetch: fetching,
  })

  refuse = true
  await look()

  expect(namesOf(arms())).toEqual(['box/a (box no longer offers it)'])
})

test('the next look comes with the timer, and never two at a time', async () => {
  const server = await modelServer('a')
  const { tick, look, asked } = {
    ...(await discover({ servers: [{ name: 'box', baseUrl: server.baseUrl }] })),
    ...server,
  }

  tick()
  tick()
  await look()

  expect(asked()).toBe(2)
})

test.each<readonly [string, RequestListener]>([
  ['a web page', (_, response) => void response.end('<html>my app</html>')],
  ['an error', (_, response) => void response.writeHead(500).end('{}')],
  ['something else as JSON', (_, response) => void response.end('{"models": 3}')],
  ['a redirect', (_, response) => void response.writeHead(302, { location: 'http://example.com/' }).end()],
  [
    'more than any list of models',
    (_, response) => void response.end(`{"data": [{"id": "${'x'.repeat(2_000_000)}"}]}`),
  ],
])('what answers with %s is not a model server', async (_, listener) => {
  const { arms } = await discover({ servers: [{ name: 'box', baseUrl: await serve(listener) }] })

  expect(arms()).toEqual([])
})

test('an arm that cannot be made now is tried again at the next look', async () => {
  const server = await modelServer('a')
  let attempts = 0
  const createModel = async (settings: ArmSettings): Promise<RouterArm> => {
    if (++attempts === 1) throw new Error('still loading')
    return toRouterArm(settings)
  }
  const { arms, look } = await discover({ servers: [{ name: 'box', baseUrl: server.baseUrl }], createModel })
  expect(arms()).toEqual([])

  await look()

  expect(namesOf(arms())).toEqual(['box/a'])
})

test('a look at one server says nothing about another with a similar name', async () => {
  const [one, other] = [await modelServer('m'), await modelServer('n')]

  const { arms } = await discover({
    servers: [
      { name: 'a/b', baseUrl: one.baseUrl },
      { name: 'a', baseUrl: other.baseUrl },
    ],
  })

  expect(namesOf(arms()).toSorted()).toEqual(['a/b/m', 'a/n'])
})

test('a server the person names takes the place of the usual one with its name or address', () => {
  const ollama = { name: 'ollama', baseUrl: 'http://192.168.1.20:11434/v1' }
  const mine = { name: 'mine', baseUrl: 'http://127.0.0.1:8080/v1/' }

  const servers = allServers([ollama, mine])

  expect(servers.map(({ name }) => name)).toEqual(['lmstudio', 'vllm', 'llama-cpp-python', 'ollama', 'mine'])
  expect(servers).toContain(ollama)
})

test('a server beyond this network makes no local arms', async () => {
  const { baseUrl } = await modelServer('m')

  const { arms } = await discover({ servers: [{ name: 'far', baseUrl, local: false }] })

  expect(arms()[0]?.arm.profile().local).toBe(false)
})

test.each([429, 500, 503])('a server that answers %i once is busy, and keeps its arms', async (status) => {
  let code = 200
  const baseUrl = await serve((_, response) => void response.writeHead(code).end('{"data": [{"id": "m"}]}'))
  const { arms, look } = await discover({ servers: [{ name: 'box', baseUrl }] })

  code = status
  await look()

  expect(namesOf(arms())).toEqual(['box/m'])
})

test('an id that no terminal should see is passed over, and the others are taken', async () => {
  const { baseUrl } = await modelServer(
    'good',
    'x'.repeat(201),
    'bad\u001B[2J',
    'c1\u009B2J',
    'bidi\u202E',
    'line\nend',
  )

  const { arms } = await discover({ servers: [{ name: 'box', baseUrl }] })

  expect(namesOf(arms())).toEqual(['box/good'])
})

test('once it is stopped no arm is made any more', async () => {
  const server = await modelServer('a')
  const made: string[] = []
  const createModel = async (settings: ArmSettings): Promise<RouterArm> => {
    made.push(settings.id)
    return toRouterArm(settings)
  }
  const { look, stop } = await discover({ servers: [{ name: 'box', baseUrl: server.baseUrl }], createModel })
  server.offer('a', 'b')

  const looking = look()
  stop()
  await looking

  expect(made).toEqual(['box/a'])
})

test('a server that offers other models at each look does not fill memory', async () => {
  const names = (look: number) => Array.from({ length: 100 }, (_, index) => `m-${look}-${index}`)
  const server = await modelServer(...names(0))
  const { arms, look } = await discover({ servers: [{ name: 'box', baseUrl: server.baseUrl }] })

  for (let round = 1; round < 10; round++) {
    server.offer(...names(round))
    await look()
  }

  expect(arms()).toHaveLength(500)
  expect(arms().filter(({ gone }) => gone === undefined)).toHaveLength(100)
})

test('a server that may not be used is reported once and gives no arm; one that changes hands is marked', async () => {
  const server = await modelServer('coder')
  let why: string | undefined = 'it belongs to another user'
  const refused: string[] = []
  const made: string[] = []
  const found = await discover({
    servers: [{ name: 'odd', baseUrl: server.baseUrl }],
    problem: () => why,
    onRefused: ({ name }, reason) => refused.push(`${name}: ${reason}`),
    createModel: async (settings) => {
      made.push(settings.id)
      return toRouterArm(settings)
    },
  })
  await found.look()
  const before = found.arms()

  why = undefined
  await found.look()
  const allowed = found.arms().map(({ gone }) => gone)
  why = 'another took the port'

  expect([before, made, refused]).toEqual([[], ['odd/coder'], ['odd: it belongs to another user']])
  expect(allowed).toEqual([undefined])
  expect(found.arms().map(({ gone }) => gone)).toEqual(['another took the port'])
})

test.each([
  ['vllm', 'vllm/coder'],
  [undefined, 'vllm/coder'],
  ['me', 'llama-cpp-python/coder'],
])('of two programs with one usual port, a list owned by %s tells which it is', async (owner, id) => {
  const baseUrl = await serve((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'coder', owned_by: owner }] }))
  })
  const servers = usualServers
    .filter((one) => one.baseUrl.includes(':8000/'))
    .map((one) => ({ ...one, baseUrl }))

  const { arms } = await discover({ servers })

  expect(arms().map(({ arm }) => arm.id)).toEqual([id])
})
