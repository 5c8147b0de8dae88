import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTokens } from '../../../src/server/http/tokens.ts'
import { startToolHost } from '../../../src/app/serve-tools.ts'
import { tempProject } from '../../support/project.ts'
import { openTestHost, testHome } from '../../support/tool-host.ts'
import { coveyProgram } from '../../support/program.ts'
import { until } from '../../support/wait.ts'

test('a tool host says what it has, where, and under which rules', async () => {
  const host = await openTestHost({ permission: 'read-only' })

  const response = await fetch(`${host.url}/v1/tools`, { headers: { authorization: `Bearer ${host.token}` } })
  const listing = (await response.json()) as {
    tools: { name: string }[]
    workspaces: string[]
    rules: string
  }

  expect(listing.workspaces).toEqual(['default'])
  expect(listing.rules).toMatch(/^permission read-only, commands: /)
  expect(listing.tools.find(({ name }) => name === 'read_file')).toEqual({
    name: 'read_file',
    description: expect.any(String),
    category: 'read',
    parameters: expect.objectContaining({ type: 'object', required: ['path'] }),
  })
  expect(host.banner).toContain(`folders  ${host.folder}`)
})

test('files are read, written and edited in its folder', async () => {
  const host = await openTestHost({ files: { 'a.txt': 'one\n' }, permission: 'accept-edits' })

  const replies = [
    await host.execute({ tool: 'read_file', arguments: { path: 'a.txt' } }),
    await host.execute({ tool: 'edit_file', arguments: { path: 'a.txt', old: 'one', new: 'two' } }),
    await host.execute({ tool: 'write_file', arguments: { path: 'deep/b.txt', content: 'b' } }),
    await host.execute({ tool: 'read_file', arguments: { path: '../../etc/passwd' } }),
    await host.execute({ tool: 'read_file', arguments: {} }),
  ]

  expect(replies.map(({ status, body }) => [status, body.ok, body.code])).toEqual([
    [200, true, null],
    [200, true, null],
    [200, true, null],
    [200, false, expect.stringMatching(/denied|missing-path/)],
    [200, false, 'bad-arguments'],
  ])
  expect(await readFile(join(host.folder, 'a.txt'), 'utf8')).toBe('two\n')
  expect(await readFile(join(host.folder, 'deep/b.txt'), 'utf8')).toBe('b')
})

test('what would be a question is refused with the line that allows it, and is audited', async () => {
  const host = await openTestHost({ files: { 'a.txt': 'one' }, permission: 'ask' })

  const { body } = await host.execute({ tool: 'write_file', arguments: { path: 'b.txt', content: 'b' } })

  expect(body).toEqual({
    ok: false,
    code: 'denied',
    text: 'Error: write_file changes b.txt. No user is available to approve it. The person can allow it with `covey tools serve --permission accept-edits` or the rule { tool = "write_file", pattern = "b.txt", verdict = "allow" } in [[permission.rules]].',
  })
  expect(existsSync(join(host.folder, 'b.txt'))).toBe(false)
  expect(await readFile(join(host.data, 'audit.log'), 'utf8')).toContain('"tool":"write_file"')
})

test('commands run there, and secrets do not leave as themselves', async () => {
  const key = `AKIA${'Q3EGRZVA7WXYZ5TB'}`
  const host = await openTestHost({ files: { 'k.txt': `key = ${key}\nname = shop\n` }, permission: 'bypass' })

  const ran = await host.execute({ tool: 'run_command', arguments: { command: 'pwd && cat k.txt' } })
  const edit = { path: 'k.txt', old: 'name = shop', new: 'name = store' }
  const edited = await host.execute({ tool: 'edit_file', arguments: edit })

  expect(ran.body.text).toContain(host.folder)
  expect(ran.body.text).not.toContain(key)
  expect(edited.body.ok).toBe(true)
  expect(await readFile(join(host.folder, 'k.txt'), 'utf8')).toBe(`key = ${key}\nname = store\n`)
})

test('what a client started is there at its next call, and is nothing to another', async () => {
  const host = await openTestHost({ permission: 'bypass' })
  const other = await openTokens(join(host.data, 'tokens')).add('other', ['tools'])
  const started = await host.execute({
    tool: 'run_command',
    arguments: { command: 'while sleep 0.1; do echo still here; done', background: true },
  })
  const id = /job-\d+/.exec(started.body.text)?.[0]

  const poll = { tool: 'job_output', arguments: { id } }
  const [own, strange] = [await host.execute(poll), await host.execute(poll, other)]

  expect([own.body.ok, strange.body.ok]).toEqual([true, false])
})

test('no client is admitted without a token that allows tools', async () => {
  const host = await openTestHost()
  const chat = await openTokens(join(host.data, 'tokens')).add('chat-only', ['chat'])
  const call = { tool: 'system_info', arguments: {} }

  const statuses = [
    (await fetch(`${host.url}/v1/tools`)).status,
    (await host.execute(call, 'wrong')).status,
    (await host.execute(call, chat)).status,
    (await host.execute(call)).status,
  ]

  expect(statuses).toEqual([401, 401, 403, 200])
})

test('it works only in folders that its configuration names', async () => {
  const [shop, blog] = [await tempProject({ 'x.txt': 'shop' }), await tempProject({ 'x.txt': 'blog' })]
  const host = await openTestHost({
    config: `[tool_host.workspaces]\nshop = ${JSON.stringify(shop)}\nblog = ${JSON.stringify(blog)}\n`,
  })
  const read = (workspace?: string) =>
    host.execute({ tool: 'read_file', arguments: { path: 'x.txt' }, ...(workspace && { workspace }) })

  const [first, second, unknown, path] = [
    await read(),
    await read('blog'),
    await read('attic'),
    await read(host.folder),
  ]

  expect([first.body.text, second.body.text]).toEqual([
    expect.stringContaining('shop'),
    expect.stringContaining('blog'),
  ])
  expect([unknown.status, path.status]).toEqual([400, 400])
})

test('it offers the tools that its configuration names', async () => {
  const host = await openTestHost({ config: '[tool_host]\ntools = ["read_*", "list_files"]\n' })

  const response = await fetch(`${host.url}/v1/tools`, { headers: { authorization: `Bearer ${host.token}` } })
  const { tools } = (await response.json()) as { tools: { name: string }[] }
  const refused = await host.execute({ tool: 'run_command', arguments: { command: 'true' } })

  expect(tools.map(({ name }) => name).toSorted()).toEqual(['list_files', 'read_file'])
  expect(refused.body.code).toBe('unknown-tool')
})

test('a call with a key happens once, however often it is sent', async () => {
  const host = await openTestHost({ permission: 'bypass' })
  const call = {
    tool: 'run_command',
    arguments: { command: 'echo again >> log.txt; cat log.txt' },
    idempotency_key: 'first-try-1',
  }

  const replies = await Promise.all([host.execute(call), host.execute(call)])
  const later = await host.execute(call)
  const other = await host.execute({ ...call, arguments: { command: 'echo other >> log.txt' } })

  expect(replies.map(({ body }) => body)).toEqual([later.body, later.body])
  expect(await readFile(join(host.folder, 'log.txt'), 'utf8')).toBe('again\n')
  expect(other.status).toBe(409)
})

test('edits that come at once all count', async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}.`)
  const host = await openTestHost({ files: { 'a.txt': lines.join('\n') }, permission: 'accept-edits' })

  const replies = await Promise.all(
    lines.map((line) =>
      host.execute({ tool: 'edit_file', arguments: { path: 'a.txt', old: line, new: `${line} done` } }),
    ),
  )

  expect(replies.every(({ body }) => body.ok)).toBe(true)
  const text = await readFile(join(host.folder, 'a.txt'), 'utf8')
  expect(text).toBe(lines.map((line) => `${line} done`).join('\n'))
})

test('one tool host per data folder, and none for other machines without a token', async () => {
  const host = await openTestHost()
  const start = (more: { readonly env: NodeJS.ProcessEnv; readonly host?: string }) =>
    startToolHost({ cwd: host.folder, port: 0, isAuthOff: false, ...more })

  await expect(start({ env: host.env })).rejects.toThrow(/covey tools serve runs already/)
  await expect(start({ env: (await testHome()).env, host: '0.0.0.0' })).rejects.toThrow(
    /covey token add NAME --scope tools/,
  )
})

test('after kill -9 in the middle of a call its key has an unknown outcome, and nothing runs again', async () => {
  const [home, folder] = [await testHome(), await tempProject()]
  const child = spawn(
    process.execPath,
    [...coveyProgram, 'tools', 'serve', '--port', '0', '--permission', 'bypass'],
    { cwd: folder, env: home.env, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  let banner = ''
  child.stdout.on('data', (data: Buffer) => (banner += data.toString()))
  await until(() => banner.includes('Ctrl+C'))
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(banner)?.[0] ?? ''
  const token = /COVEY_TOOL_HOST__TOKEN=(\S+)/.exec(banner)?.[1] ?? ''
  const call = {
    tool: 'run_command',
    arguments: { command: 'echo ran >> log.txt; sleep 10' },
    idempotency_key: 'kill-me-now',
  }

  const lost = fetch(`${url}/v1/tools/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(call),
  }).catch((error: Error) => error)
  await until(() => existsSync(join(folder, 'log.txt')))
  child.kill('SIGKILL')
  await ended
  const host = await openTestHost({ home, permission: 'bypass' })
  const { body } = await host.execute(call, token)

  expect(await lost).toBeInstanceOf(Error)
  expect(body).toMatchObject({ ok: false, code: 'unknown-outcome' })
  expect(await readFile(join(folder, 'log.txt'), 'utf8')).toBe('ran\n')
  expect(existsSync(join(host.folder, 'log.txt'))).toBe(false)
})
