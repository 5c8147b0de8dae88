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
  const [cacheFolder, cwd] = [await tempProject(), await tempProject()]
  const first = await open([scriptedServer('usual(request)')], { cacheFolder, cwd })
  await toolNamed(first, 'mcp__odd__go')
  await first.close()

  const broken = scriptedServer('usual(request)', { timeoutMs: 1 })
  const known = await open([broken], { cacheFolder, cwd })
  const other = await open([scriptedServer('process.exit(1)')], { cacheFolder, cwd })

  expect(known.tools().map(({ name }) => name)).toEqual(['mcp__odd__go'])
  expect(other.tools()).toEqual([])
})

test('a damaged cache is asked for again', async () => {
  const [cacheFolder, cwd] = [await tempProject(), await tempProject()]
  const server = scriptedServer('usual(request)')
  const first = await open([server], { cacheFolder, cwd })
  await toolNamed(first, 'mcp__odd__go')
  await first.close()
  const [file = ''] = await readdir(cacheFolder)
  await writeFile(join(cacheFolder, file), '{"version":2,"offer":{"tools":[{}]}}')

  const second = await open([server], { cacheFolder, cwd })
  await toolNamed(second, 'mcp__odd__go')
  await second.close()

  expect(JSON.parse(await readFile(join(cacheFolder, file), 'utf8'))).toMatchObject({
    version: 2,
    offer: { tools: [{ name: 'go' }] },
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

test('calls that hang together fail together, and the next one finds a new server', async () => {
  const equipment = await open([
    scriptedServer(
      `usual(request)
       if (request.method === 'tools/call' && request.params.arguments.to === 'home')
         say({ id: request.id, result: { content: [{ type: 'text', text: 'there' }] } })`,
      { timeoutMs: 3_000 },
    ),
  ])
  const go = await toolNamed(equipment, 'mcp__odd__go')

  const hung = await Promise.all([run(go, { to: 'a' }), run(go, { to: 'b' }), run(go, { to: 'c' })])

  expect(hung.map(({ ok }) => ok)).toEqual([false, false, false])
  expect(await run(go, { to: 'home' })).toEqual({ ok: true, text: 'there' })
})

test('a call that is cancelled ends at once, also while the server still starts', async () => {
  const [cacheFolder, cwd] = [await tempProject(), await tempProject()]
  const first = await open([scriptedServer('usual(request)')], { cacheFolder, cwd })
  await toolNamed(first, 'mcp__odd__go')
  await first.close()
  const controller = new AbortController()
  const equipment = await open([scriptedServer('usual(request)')], { cacheFolder, cwd })
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

test.each([
  ['one message', `process.stdout.write('"' + 'x'.repeat(20 * 1024 * 1024))`, 'a message of more than 8 MiB'],
  [
    'many messages',
    `const more = () => { for (let i = 0; i < 1000; i++) say({ method: 'notifications/message', params: { level: 'info', data: 'y'.repeat(1_000) } }); setImmediate(more) }
     more()`,
    'more than 16 MiB without being asked',
  ],
  [
    'empty lines',
    `const more = () => { process.stdout.write('\\n'.repeat(100_000)); setImmediate(more) }
     more()`,
    'more than 20000 lines without being asked',
  ],
])('a server that floods is ended: %s', async (_, flood, why) => {
  const equipment = await open([
    scriptedServer(`if (request.method !== 'tools/call') return usual(request)\n${flood}`),
  ])

  const { text } = await run(await toolNamed(equipment, 'mcp__odd__go'), {})

  expect(text).toContain(`it sent ${why}`)
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

test('a server behind an address is notified when the session ends', async () => {
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
  expect(equipment.warnings).toEqual([
    'MCP server odd: 2 of its tools left out (name Too small: expected string to have >=1 characters)',
  ])
  expect(await run(fine, {})).toEqual({
    ok: false,
    text: 'the MCP server odd sent an invalid answer',
  })
})

test('a server whose tools changed since is asked again before a call, and the model gets a note', async () => {
  const [cacheFolder, cwd] = [await tempProject(), await tempProject()]
  const folder = await tempProject({ schema: JSON.stringify({ type: 'object' }) })
  const server = scriptedServer(
    `if (request.method !== 'tools/list') return usual(request)
     const inputSchema = JSON.parse(require('node:fs').readFileSync(${JSON.stringify(join(folder, 'schema'))}, 'utf8'))
     say({ id: request.id, result: { tools: [{ name: 'go', inputSchema }] } })`,
  )
  const first = await open([server], { cacheFolder, cwd })
  await toolNamed(first, 'mcp__odd__go')
  await first.close()
  const changed = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }
  await writeFile(join(folder, 'schema'), JSON.stringify(changed))

  const second = await open([server], { cacheFolder, cwd })
  const go = await toolNamed(second, 'mcp__odd__go')

  expect(await run(go, {})).toEqual({ ok: false, text: 'argument "to" is missing' })
})

test('a server may change what it has, and says so as often as it likes', async () => {
  const equipment = await open([
    scriptedServer(
      `if (request.method !== 'tools/list') return usual(request)
       globalThis.asked = (globalThis.asked ?? 0) + 1
       say({ id: request.id, result: { tools: [{ name: 'number' + asked, inputSchema: {} }] } })
       for (let i = 0; i < 1000; i++) say({ method: 'notifications/tools/list_changed' })`,
    ),
  ])

  await toolNamed(equipment, 'mcp__odd__number2')

  expect(equipment.tools().map(({ name }) => name)).toEqual(['mcp__odd__number2'])
  expect(equipment.warnings).toEqual([])
})

test('a server that describes all its tools wrongly costs one warning', async () => {
  const equipment = await open([
    scriptedServer(
      `if (request.method !== 'tools/list') return usual(request)
       const deep = '{"a":'.repeat(20000) + '1' + '}'.repeat(20000)
       const bad = Array.from({ length: 150 }, (_, at) => ({ name: 'bad' + at }))
       process.stdout.write('{"jsonrpc":"2.0","id":' + request.id + ',"result":{"tools":[{"name":"deep","inputSchema":' + deep + '},{"name":"good","inputSchema":{}},' + JSON.stringify(bad).slice(1) + '}}\\n')`,
    ),
  ])

  await toolNamed(equipment, 'mcp__odd__good')

  expect(equipment.tools().map(({ name }) => name)).toEqual(['mcp__odd__good'])
  expect(equipment.warnings).toEqual(['MCP server odd: 151 of its tools left out (inputSchema is too large)'])
})

test('a server that keeps asking and never reads the answers is ended', async () => {
  const equipment = await open([
    scriptedServer(
      `if (request.method !== 'tools/call') return usual(request)
       process.stdin.pause()
       let id = 0
       const more = () => { for (let i = 0; i < 5000; i++) say({ id: ++id, method: 'ping' }); setImmediate(more) }
       more()`,
    ),
  ])

  const { text } = await run(await toolNamed(equipment, 'mcp__odd__go'), {})

  expect(text).toMatch(/^the MCP server odd was lost while this ran \(.*without being asked/)
})

test.each([-32000, -32001, -32603])('error %i of a server is its answer, in one plain line', async (code) => {
  const equipment = await open([
    scriptedServer(
      `if (request.method !== 'tools/call') return usual(request)
       say({ id: request.id, error: { code: ${code}, message: '\\u001b[31mred\\u001b[0m\\n\\u202ehidden' + 'x'.repeat(10000) } })`,
    ),
  ])

  const { text } = await run(await toolNamed(equipment, 'mcp__odd__go'), {})

  expect(text).toMatch(/^the MCP server odd: MCP error -32\d+: red hiddenx+…$/)
  expect(text.length).toBeLessThan(600)
})

test('two servers whose names look alike stay apart, in any order of answers', async () => {
  const slow = `setTimeout(() => usual(request), 300)`
  const equipment = await open([
    scriptedServer(slow, { name: 'my shop' }),
    scriptedServer('usual(request)', { name: 'my_shop' }),
  ])

  const second = await toolNamed(equipment, 'mcp__my_shop__go')
  while (equipment.tools().length < 2) await new Promise((resolve) => setTimeout(resolve, 10))

  const names = equipment.tools().map(({ name }) => name)
  expect(names).toEqual([expect.stringMatching(/^mcp__my_shop_[0-9a-f]{8}__go$/), 'mcp__my_shop__go'])
  expect(second.access({})).toEqual([{ kind: 'fetch', target: 'mcp__my_shop__go' }])
})

test('resources are listed and read through one tool, which is found, not shown, and asks', async () => {
  const equipment = await open([realServer()])

  const read = await toolNamed(equipment, 'mcp__shop__read_resource')

  expect(read.deferred).toBe(true)
  expect(read.access({ uri: '' })).toEqual([{ kind: 'fetch', target: 'mcp__shop__read_resource' }])
  expect(await run(read, { uri: '' })).toEqual({
    ok: true,
    text: 'shop://list - What is to be bought\nshop://picture/{of} - A picture of something',
  })
  expect(await run(read, { uri: 'shop://list' })).toEqual({
    ok: true,
    text: '[resource shop://list]\napples',
  })
  expect((await run(read, { uri: 'shop://picture/pear' })).text).toBe(
    '[resource shop://picture/pear, image/png: not text]',
  )
  expect((await run(read, { uri: 'shop://nowhere' })).text).toMatch(
    /^the MCP server shop refused the arguments/,
  )
  expect((await run(read, { uri: '[secret:aws-key:k3f9:1]' })).text).toContain('MCP servers get none')
})

test('a prompt of a server is what the person said, once they ask for it by name', async () => {
  const equipment = await open([realServer()])
  await toolNamed(equipment, 'mcp__shop__add')
  const load = (words: string) => equipment.expand?.(words)?.load?.(new AbortController().signal)

  expect(await load('/shop:order green apples')).toBe('Order one of: green apples')
  expect(await load(' /shop:order many=3 what=pears ')).toBe('Order 3 of: pears')
  await expect(load('/shop:order many=3')).rejects.toThrow(
    '/shop:order needs what: /shop:order what=… [many=…]',
  )
  expect(['/shop:nothing', '/absent:order', 'order /shop:order', '/order'].map(load)).toEqual(
    Array.from({ length: 4 }, () => undefined),
  )
})

test('a server without tools is one all the same', async () => {
  const server = scriptedServer(
    `const { id, method, params } = request
     if (method === 'initialize') return say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { prompts: {} }, serverInfo: { name: 'odd', version: '1' } } })
     if (method === 'prompts/list') return say({ id, result: { prompts: [{ name: 'hello' }, { name: 'no word' }] } })
     if (method === 'prompts/get') return say({ id, result: { messages: [
       { role: 'user', content: { type: 'text', text: 'Hi', mimeType: null } },
       { role: 'assistant', content: { type: 'text', text: 'Yes?' } },
     ] } })
     if (id !== undefined) say({ id, error: { code: -32601, message: 'Method not found' } })`,
  )
  const equipment = await open([server])
  while (!equipment.expand?.('/odd:hello')) await new Promise((resolve) => setTimeout(resolve, 10))

  const words = await equipment.expand('/odd:hello')?.load?.(new AbortController().signal)

  expect(words).toBe('user: Hi\n\nassistant: Yes?')
  expect(equipment.tools()).toEqual([])
  expect(equipment.warnings).toEqual([
    'MCP server odd: 1 of its prompts left out (name is no word that can be typed)',
  ])
})

test('a program of the project is another server in another project, any other program the same', async () => {
  const cacheFolder = await tempProject()
  const [, code = ''] = scriptedServer('usual(request)').args
  const named = (name: string) => tempProject({ 'server.js': code.replaceAll("'go'", `'${name}'`) })
  const [here, there] = [await named('near'), await named('far')]
  const ofProject = scriptedServer('', { name: 'own', args: ['./server.js'] })
  const ofSystem = scriptedServer('usual(request)')
  for (const [cwd, name] of [
    [here, 'near'],
    [there, 'far'],
  ] as const) {
    const first = await open([ofProject, ofSystem], { cacheFolder, cwd })
    await toolNamed(first, `mcp__own__${name}`)
    await toolNamed(first, 'mcp__odd__go')
    await first.close()
  }

  const again = await open([ofProject, ofSystem], { cacheFolder, cwd: here })

  expect(again.tools().map(({ name }) => name)).toEqual(['mcp__own__near', 'mcp__odd__go'])
  expect(await readdir(cacheFolder)).toHaveLength(3)
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

/** A zombie counts as gone: in a container it may never be collected. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
