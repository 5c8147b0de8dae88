import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../../src/app/open.ts'
import type { SessionEvent } from '../../../src/protocol/event.ts'
import type { Model } from '../../../src/protocol/model.ts'
import { calls, says, scriptedModel } from '../../../src/provider/scripted.ts'
import { openServing } from '../../../src/app/served.ts'
import { scriptedServer } from '../../mcp/servers.ts'
import { covey } from '../../support/covey.ts'
import { tempProject } from '../../support/project.ts'
import { openTestHost, pairedPeer, type TestHome, testHome } from '../../support/tool-host.ts'

type Wish = {
  readonly home?: TestHome
  readonly flags?: Readonly<Record<string, unknown>>
  readonly permission?: 'ask'
}

async function runSession(model: Model, { home, flags = {}, permission }: Wish) {
  const cwd = await tempProject()
  const { env } = home ?? (await testHome())
  const app = await createApp({ env, cwd, model, permission: permission ?? 'bypass', flags })
  onTestFinished(() => app.close())
  const session = await app.openSession({ resume: 'new', canAsk: false })
  const ended = untilEnd(session.events({ after: 0, signal: new AbortController().signal }))
  await session.prompt('go')
  await ended
  const results = (await session.history()).flatMap((message) => (message.role === 'tool' ? [message] : []))
  await session.close()
  return { cwd, results }
}

async function untilEnd(events: AsyncIterable<SessionEvent>): Promise<void> {
  for await (const { type } of events) if (type === 'run-end') return
}

test('a session works in the folder of a tool host, and not in its own', async () => {
  const host = await openTestHost({ files: { 'a.txt': 'one\n' }, permission: 'accept-edits' })
  const model = scriptedModel(
    [calls('read_file', { path: 'a.txt' })],
    [calls('edit_file', { path: 'a.txt', old: 'one', new: 'two' })],
    [calls('run_command', { command: 'touch c.txt' })],
    [says('Done.')],
  )

  const { cwd, results } = await runSession(model, {
    flags: { 'tool_host.url': host.url, 'tool_host.token': host.token },
  })

  expect(results.map(({ ok, code }) => [ok, code])).toEqual([
    [true, undefined],
    [true, undefined],
    [false, 'denied'],
  ])
  expect(await readFile(join(host.folder, 'a.txt'), 'utf8')).toBe('two\n')
  expect([existsSync(join(cwd, 'a.txt')), existsSync(join(host.folder, 'c.txt'))]).toEqual([false, false])
})

test('a session of a paired machine works there under the rules of the host, without a token', async () => {
  const host = await openTestHost({
    files: { 'a.txt': 'one\n' },
    permission: 'accept-edits',
    config: '[[permission.rules]]\ntool = "run_command"\npattern = "touch"\nverdict = "allow"\n',
  })
  const home = await pairedPeer(host)
  const model = scriptedModel(
    [calls('edit_file', { path: 'a.txt', old: 'one', new: 'two' })],
    [calls('run_command', { command: 'touch c.txt' })],
    [calls('run_command', { command: 'rm a.txt' })],
    [says('Done.')],
  )

  const { cwd, results } = await runSession(model, {
    home,
    flags: { 'tool_host.url': `peer/tower:${host.port}`, 'tool_host.token': 'covey_for-another-host' },
  })

  expect(results.map(({ ok, code }) => [ok, code])).toEqual([
    [true, undefined],
    [true, undefined],
    [false, 'denied'],
  ])
  expect(await readFile(join(host.folder, 'a.txt'), 'utf8')).toBe('two\n')
  expect([existsSync(join(cwd, 'c.txt')), existsSync(join(host.folder, 'c.txt'))]).toEqual([false, true])
})

test('a session finds the tools of an MCP server and calls one, unless it is not allowed', async () => {
  const { command = '', args } = scriptedServer(
    `if (request.method !== 'tools/call') return usual(request)
     say({ id: request.id, result: { content: [{ type: 'text', text: 'went' }] } })`,
  )
  const home = await testHome(
    `[mcp.servers.odd]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`,
  )
  await covey(['mcp', 'test'], { cwd: await tempProject(), env: home.env })
  const turns = () =>
    scriptedModel(
      [calls('more_tools', { category: 'meta' })],
      [calls('call_tool', { name: 'mcp__odd__go', arguments: { to: 'x' } })],
      [says('Done.')],
    )

  const allowed = await runSession(turns(), { home })
  const asked = await runSession(turns(), { home, permission: 'ask' })

  expect(allowed.results[0]?.text).toContain('mcp__odd__go([to]) - Goes')
  expect(allowed.results[1]).toMatchObject({ ok: true, text: 'went' })
  expect(asked.results[1]).toMatchObject({ ok: false, code: 'denied' })
})

test('`covey serve` offers its tools at /mcp where the configuration says so, and only then', async () => {
  const model = scriptedModel([says('Hello.')])
  const pathsWith = async (config: string) => {
    const { env } = await testHome(config)
    const serving = await openServing({ env, cwd: await tempProject(), model, permission: 'ask' })
    onTestFinished(() => serving.close())
    return serving.routes.map(({ path }) => path)
  }

  expect(await pathsWith('[mcp]\nserve = true\n')).toContain('/mcp')
  expect(await pathsWith('')).not.toContain('/mcp')
})
