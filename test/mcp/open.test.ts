import { readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toToolSchema } from '../../src/lib/schema.ts'
import { tempProject } from '../support/project.ts'
import { httpServer, oddHttpServer, open, realServer, run, scriptedServer, toolNamed } from './servers.ts'

test('a server over stdio brings its tools under its own name, and each asks before it runs', async () => {
  const equipment = await open([realServer({ env: { SHOP_KEY: 'k1' } })])

  const add = await toolNamed(equipment, 'mcp__shop__add')
  const mixed = await toolNamed(equipment, 'mcp__shop__mixed')
  const fail = await toolNamed(equipment, 'mcp__shop__fail')
  const environment = await toolNamed(equipment, 'mcp__shop__environment')

  expect(toToolSchema(add)).toEqual({
    name: 'mcp__shop__add',
    description: 'Adds two numbers',
    parameters: {
      type: 'object',
      propertyNames: { type: 'string' },
      properties: { a: { type: 'number' }, b: { type: 'number', description: 'The second one' } },
      required: ['a', 'b'],
    },
  })
  expect(add.access({ a: 1, b: 2 })).toEqual([{ kind: 'fetch', target: 'mcp__shop__add' }])
  expect(add.deferred).toBe(true)
  expect(add.input.safeParse({ a: 1 }).success).toBe(false)
  expect(await run(add, { a: 1, b: 2 })).toEqual({ ok: true, text: '3' })
  expect(await run(fail, {})).toEqual({ ok: false, code: 'failed', text: 'out of stock' })
  expect((await run(mixed, {})).text).toBe(
    'a picture:\n[image, image/png, 3 bytes: cannot be shown here]\n[resource shop://list]\napples\n[resource shop://more, text/html]',
  )
  expect(Object.keys(JSON.parse((await run(environment, {})).text) as object).toSorted()).toEqual(
    expect.arrayContaining(['PATH', 'SHOP_KEY']),
  )
  expect(JSON.parse((await run(environment, {})).text)).not.toHaveProperty('HOME')
  expect(equipment.warnings).toEqual([])
})

test('a server behind an address is the same, and gets its headers', async () => {
  const { url, seen } = await httpServer()
  const { command: _, ...settings } = realServer({ url, args: [], headers: { authorization: 'Bearer t1' } })
  const equipment = await open([settings])

  const add = await toolNamed(equipment, 'mcp__shop__add')

  expect(await run(add, { a: 2, b: 2 })).toEqual({ ok: true, text: '4' })
  expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer t1']))
})

test('what a server has is known without starting it the next time, unless it is started otherwise', async () => {
  const cacheFolder = await tempProject()
  const first = await open([scriptedServer('usual(request)')], { cacheFolder })
  await toolNamed(first, 'mcp__odd__go')
  await first.close()

  const broken = scriptedServer('usual(request)', { timeoutMs: 1 })
  const known = await open([broken], { cacheFolder })
  const other = await open([scriptedServer('process.exit(1)')], { cacheFolder })

  expect(known.tools().map(({ name }) => name)).toEqual(['mcp__odd__go'])
  expect(other.tools()).toEqual([])
})

test('a damaged cache is asked for again', async () => {
  const cacheFolder = await tempProject()
  const server = scriptedServer('usual(request)')
  const first = await open([server], { cacheFolder })
  await toolNamed(first, 'mcp__odd__go')
  await first.close()
  const [file = ''] = await readdir(cacheFolder)
  await writeFile(join(cacheFolder, file), '{"version":1,"tools":[{}]}')

  const second = await open([server], { cacheFolder })
  await toolNamed(second, 'mcp__odd__go')
  await second.close()

  expect(JSON.parse(await readFile(join(cacheFolder, file), 'utf8'))).toMatchObject({
    tools: [{ name: 'go' }],
  })
})

test('a tool that replaces a built-in one bears its name and is shown from the start', async () => {
  const equipment = await open([scriptedServer('usual(request)', { replace: { go: 'read_file' } })])

  const tool = await toolNamed(equipment, 'read_file')

  expect(tool.deferred).toBe(false)
  expect(tool.access({})).toEqual([{ kind: 'fetch', target: 'mcp__odd__go' }])
})

test('a server that dies in a call is a failed call, and the next call starts it again', async () => {
  const folder = await tempProject()
  const equipment = await open([
    scriptedServer(
      `usual(request)
       const file = ${JSON.stringify(join(folder, 'died'))}
       if (request.method !== 'tools/call') return
       if (require('node:fs').existsSync(file)) return say({ id: request.id, result: { content: [{ type: 'text', text: 'alive' }] } })
       require('node:fs').writeFileSync(file, '')
       console.error('panic: out of cheese')
       process.exit(3)`,
    ),
  ])
  const go = await toolNamed(equipment, 'mcp__odd__go')

  const first = await run(go, {})
  const second = await run(go, {})

  expect(first.ok).toBe(false)
  expect(first.text).toMatch(
    /^the MCP server odd was lost while this ran \(.*panic: out of cheese\); the next call/,
  )
  expect(second).toEqual({ ok: true, text: 'alive' })
})

test('a server that never answers a call is ended in time', async () => {
  const equipment = await open([scriptedServer('usual(request)', { timeoutMs: 700 })])
  const go = await toolNamed(equipment, 'mcp__odd__go')

  expect(await run(go, {})).toEqual({
    ok: false,
    text: 'the MCP server odd did not answer within 0.7 s and was ended; the next call starts it again',
  })
})

test('a call that is cancelled ends at once, also while the server still starts', async () => {
  const cacheFolder = await tempProject()
  const first = await open([scriptedServer('usual(request)')], { cacheFolder })
  await toolNamed(first, 'mcp__odd__go')
  await first.close()
  const controller = new AbortController()
  const equipment = await open([scriptedServer('usual(request)')], { cacheFolder })
  const go = await toolNamed(equipment, 'mcp__odd__go')

  const running = run(go, {}, controller.signal)
  controller.abort(new Error('cancelled'))

  expect(await running).toEqual({ ok: false, text: 'cancelled' })
})

test('a server that cannot be started is a warning', async () => {
  const equipment = await open([
    scriptedServer('', { name: 'gone', command: 'no-such-program-of-anyone' }),
    scriptedServer('process.stderr.write("no key\\n", () => process.exit(1))', { name: 'silent' }),
  ])

  while (equipment.warnings.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))

  expect(equipment.tools()).toEqual([])
  expect(equipment.warnings.toSorted()).toEqual([
    expect.stringMatching(
      /^MCP: the MCP server gone cannot be used: .*could not be started.*; its tools are missing\.$/,
    ),
    expect.stringMatching(/^MCP: the MCP server silent cannot be used: .*no key.*; its tools are missing\.$/),
  ])
})

test('a server that floods is ended, whether in one message or in many', async () => {
  const one = `if (request.method !== 'tools/call') return usual(request)
    process.stdout.write('"' + 'x'.repeat(20 * 1024 * 1024))`
  const many = `if (request.method !== 'tools/call') return usual(request)
    const more = () => { for (let i = 0; i < 1000; i++) say({ method: 'notifications/message', params: { level: 'info', data: 'y'.repeat(1000) } }); setImmediate(more) }
    more()`
  const equipment = await open([scriptedServer(one, { name: 'one' }), scriptedServer(many, { name: 'many' })])

  const results = [
    await run(await toolNamed(equipment, 'mcp__one__go'), {}),
    await run(await toolNamed(equipment, 'mcp__many__go'), {}),
  ]

  expect(results.map(({ text }) => text)).toEqual([
    expect.stringContaining('it sent a message of more than 8 MiB'),
    expect.stringContaining('it sent more than 16 MiB without being asked'),
  ])
})

test('a server behind an address that hangs, floods or leads elsewhere is a failed call', async () => {
  const elsewhere = await oddHttpServer((_, __, usual) => usual())
  const hanging = await oddHttpServer(({ method }, _, usual) =>
    method === 'tools/call' ? undefined : usual(),
  )
  const flooding = await oddHttpServer(({ method }, response, usual) => {
    if (method !== 'tools/call') return usual()
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = (): void => void (response.destroyed || response.write('x'.repeat(4 * 1024 * 1024), more))
    more()
  })
  const leading = await oddHttpServer(({ method }, response, usual) => {
    if (method !== 'tools/call') return usual()
    response.writeHead(307, { location: elsewhere.settings.url }).end()
  })
  const equipment = await open([
    { ...hanging.settings, name: 'hanging', timeoutMs: 500 },
    { ...flooding.settings, name: 'flooding' },
    { ...leading.settings, name: 'leading' },
  ])

  const texts = []
  for (const name of ['hanging', 'flooding', 'leading'])
    texts.push((await run(await toolNamed(equipment, `mcp__${name}__go`), {})).text)

  expect(texts).toEqual([
    expect.stringContaining('did not answer within 0.5 s'),
    expect.stringMatching(/^the MCP server flooding was lost while this ran/),
    expect.stringMatching(/^the MCP server leading was lost while this ran/),
  ])
  expect(elsewhere.seen).toEqual([])
})

test('a server behind an address is told when the session ends', async () => {
  const { settings, seen } = await oddHttpServer((_, __, usual) => usual())
  const equipment = await open([settings])
  await toolNamed(equipment, 'mcp__odd__go')

  await equipment.close()

  expect(seen.at(-1)).toBe('DELETE')
})

test('a long result is cut in the middle', async () => {
  const equipment = await open([
    scriptedServer(`if (request.method !== 'tools/call') return usual(request)
      say({ id: request.id, result: { content: [{ type: 'text', text: 'a'.repeat(2 * 1024 * 1024) }] } })`),
  ])

  const { ok, text } = await run(await toolNamed(equipment, 'mcp__odd__go'), {})

  expect(ok).toBe(true)
  expect(text.length).toBeLessThan(600_000)
  expect(text).toContain('bytes left out')
})

test('what a server says wrongly about itself stays out, and the rest counts', async () => {
  const tools = [
    { name: 'fine', inputSchema: { type: 'object' } },
    { name: 'fine', inputSchema: { type: 'object' }, description: 7 },
    { name: '', inputSchema: { type: 'object' } },
    { name: 'no schema' },
    {
      name: 'näme with spaces!',
      inputSchema: { properties: { a: { $ref: '#/nowhere', pattern: '(a+)+$' } } },
    },
  ]
  const equipment = await open([
    scriptedServer(
      `if (request.method === 'tools/list') return say({ id: request.id, result: { tools: ${JSON.stringify(tools)} } })
       if (request.method === 'tools/call') return say({ id: request.id, result: { content: 'all good' } })
       usual(request)`,
    ),
  ])

  const fine = await toolNamed(equipment, 'mcp__odd__fine')

  expect(equipment.tools().map(({ name }) => name)).toEqual([
    'mcp__odd__fine',
    'mcp__odd__fine_2',
    'mcp__odd__n_me_with_spaces_',
  ])
  expect(equipment.warnings).toHaveLength(2)
  expect(await run(fine, {})).toEqual({
    ok: false,
    text: 'the MCP server odd answered with something that is no result of a tool',
  })
})

test('a server whose tools changed since is asked again before a call, and the model is told', async () => {
  const cacheFolder = await tempProject()
  const folder = await tempProject({ schema: JSON.stringify({ type: 'object' }) })
  const server = scriptedServer(
    `if (request.method !== 'tools/list') return usual(request)
     const inputSchema = JSON.parse(require('node:fs').readFileSync(${JSON.stringify(join(folder, 'schema'))}, 'utf8'))
     say({ id: request.id, result: { tools: [{ name: 'go', inputSchema }] } })`,
  )
  const first = await open([server], { cacheFolder })
  await toolNamed(first, 'mcp__odd__go')
  await first.close()
  const changed = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }
  await writeFile(join(folder, 'schema'), JSON.stringify(changed))

  const second = await open([server], { cacheFolder })
  const go = await toolNamed(second, 'mcp__odd__go')

  expect(await run(go, {})).toEqual({ ok: false, text: 'argument "to" is missing' })
})

test('a session that ends does not wait for a server that never says a word', async () => {
  const equipment = await open([scriptedServer('')])

  const closing = equipment.close()

  expect(await closing).toBeUndefined()
  expect(equipment.tools()).toEqual([])
})

test('a placeholder of a secret never reaches a server', async () => {
  const equipment = await open([scriptedServer('usual(request)')])
  const go = await toolNamed(equipment, 'mcp__odd__go')

  const { ok, text } = await run(go, { to: 'x [secret:aws-key:k3f9:1] y' })

  expect(ok).toBe(false)
  expect(text).toContain('[secret:aws-key:k3f9:1] stands for a secret, and MCP servers get none')
})

test('nothing of a server is left when the session ends, its own children included', async () => {
  const folder = await tempProject()
  const pids = join(folder, 'pids')
  const equipment = await open([
    scriptedServer(
      `usual(request)
       if (request.method !== 'tools/list') return
       const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
       require('node:fs').writeFileSync(${JSON.stringify(pids)}, process.pid + ' ' + child.pid)`,
    ),
  ])
  await toolNamed(equipment, 'mcp__odd__go')
  while (!(await readFile(pids, 'utf8').catch(() => '')))
    await new Promise((resolve) => setTimeout(resolve, 10))

  await equipment.close()

  const alive = (await readFile(pids, 'utf8')).split(' ').map(Number).filter(isAlive)
  expect(alive).toEqual([])
})

/** A zombie counts as gone: in a container nobody may ever collect it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
