/** A path that a rule denies is closed in every sandbox of the project, not only to commands of the session. */
import { execFileSync } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openAppContext } from '../../src/app/open.ts'
import { openSession } from '../../src/app/session.ts'
import type { SessionEvent } from '../../src/protocol/event.ts'
import type { SessionApi } from '../../src/protocol/session-api.ts'
import { calls, says, scriptedModel } from '../../src/provider/scripted.ts'
import { covey } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { ofType, promptAndCollect } from '../support/run.ts'
import { testHome } from '../support/tool-host.ts'
import { missing, named } from './with-sandbox.ts'

const RULE = '[[permission.rules]]\ntool = "*"\npattern = "secret/**"\nverdict = "deny"\n'

/** Says what it finds: an open file, a closed one, and how many objects git keeps. */
const LOOK = `const { readFileSync, readdirSync } = require('node:fs')
const read = (path) => { try { return readFileSync(path, 'utf8').trim() } catch { return 'closed' } }
const look = () => [read('open.txt'), read('secret/x'), readdirSync('.git/objects').length].join(' ')
`
const SERVER = `${LOOK}
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
const info = { capabilities: { tools: {} }, serverInfo: { name: 'reader', version: '1' } }
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, ...info }),
  'tools/list': () => ({ tools: [{ name: 'go', description: look(), inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: look() }] }),
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) say(id, answers[method]?.(params) ?? {})
})
`
const FUNCTION = `import { readFileSync } from 'node:fs'
/**
 * Reads a file.
 * @example
 * readOne('open.txt') // => 'open'
 */
export function readOne(path: string): string {
  return readFileSync(path, 'utf8').trim()
}
`
/** The name is left, with other contents; of the objects of git nothing is. */
const HIDDEN = /open .* 0\b/

async function closedProject() {
  const { env } = await testHome(RULE)
  const server = `[mcp.servers.reader]\ncommand = "node"\nargs = ["server.cjs"]\n`
  const files = {
    'open.txt': 'open\n',
    'secret/x': 'heron\n',
    'server.cjs': SERVER,
    'read.ts': FUNCTION,
    '.covey/config.toml': server,
  }
  const cwd = await tempProject(files)
  const git = 'git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm first'
  execFileSync('sh', ['-c', git], { cwd, env, stdio: 'ignore' })
  await covey(['trust', 'add'], { cwd, env })
  return { env, cwd }
}

type Place = Awaited<ReturnType<typeof closedProject>>

/** One session that makes these calls; what came back from each. */
async function resultsOf({ env, cwd }: Place, ...wanted: readonly ReturnType<typeof calls>[]) {
  const model = scriptedModel(...wanted.map((call) => [call]), [says('Done.')])
  const ground = await openAppContext({ env, cwd, model, permission: 'auto', probe: false, window: 32_000 })
  onTestFinished(() => ground.close())
  const session = await openSession(ground.sessions, { resume: 'new', canAsk: true })
  onTestFinished(() => session.close())
  const onEvent = (event: SessionEvent, open: SessionApi) => {
    if (event.type === 'permission-ask') void open.answer(event.askId, { allow: true })
    if (event.type === 'question-ask') void open.answer(event.askId, { text: 'yes' })
  }
  return ofType(await promptAndCollect(session, { onEvent }), 'tool-end').map(({ ok, text }) => [ok, text])
}

const closed = test.skipIf(missing !== undefined)

closed(named('a server of the project finds neither a denied file nor its history'), async () => {
  const place = await closedProject()

  const tested = await covey(['mcp', 'test'], place)
  const [result] = await resultsOf(place, calls('call_tool', { name: 'mcp__reader__go', arguments: {} }))

  expect(tested.out).toMatch(HIDDEN)
  expect(result?.[1]).toMatch(HIDDEN)
  expect(`${tested.out} ${result?.[1]}`).not.toContain('heron')
})

closed(named('a function reads an open file and no denied one, also where a person tries it'), async () => {
  const place = await closedProject()
  const promote = { file: 'read.ts', function: 'readOne', name: 'read_one', description: 'Read' }

  const results = await resultsOf(
    place,
    calls('promote_skill', promote),
    calls('read_one', { path: 'open.txt' }),
    calls('read_one', { path: 'secret/x' }),
  )
  const fine = await covey(['skills', 'test', 'read_one'], place)
  await exchangeSource(place, FUNCTION.replace("'open.txt') // => 'open'", "'secret/x') // => 'heron'"))
  await covey(['skills', 'trust', 'read_one'], place)
  const tried = await covey(['skills', 'test', 'read_one'], place)

  expect(results.slice(0, 2).map(([ok]) => ok)).toEqual([true, true])
  expect(results[1]?.[1]).toBe('open')
  expect(JSON.stringify(results.slice(1))).not.toContain('heron')
  expect([fine.code, tried.code]).toEqual([0, 1])
})

/** As a user does who edits the function in the data folder. */
async function exchangeSource({ env }: Place, source: string): Promise<void> {
  const folder = join(env['XDG_DATA_HOME'] ?? '', 'covey')
  const found = (await readdir(folder, { recursive: true })).find((name) => /\/source-[^/]+$/.test(name))
  await writeFile(join(folder, found ?? ''), source)
}

closed(named('what a command would see is shown without denied files'), async () => {
  const { cwd, env } = await closedProject()

  const { out } = await covey(['permissions', 'sandbox'], { cwd, env })

  const lines = out.split('\n').filter((line) => line.includes(join(cwd, 'secret')))
  expect(lines).toHaveLength(1)
})
