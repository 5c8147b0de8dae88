/** What a server brings, the whole way: configuration, session, engine, guard. */
import { expect, onTestFinished, test } from 'vitest'
import { openAppContext } from '../../src/app/open.ts'
import type { SessionEvent } from '../../src/protocol/event.ts'
import type { SessionApi } from '../../src/protocol/session-api.ts'
import { calls, says, scriptedModel } from '../../src/provider/scripted.ts'
import { openSession } from '../../src/app/session.ts'
import { tempProject } from '../support/project.ts'
import { ofType, promptAndCollect } from '../support/run.ts'
import { testHome } from '../support/tool-host.ts'
import { scriptedServer } from './servers.ts'

const LIBRARY = `const { id, method, params } = request
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { resources: {}, prompts: {} }, serverInfo: { name: 'library', version: '1' } },
    'tools/list': { tools: [] },
    'prompts/list': { prompts: [{ name: 'review', arguments: [{ name: 'book', required: true }] }] },
    'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'Review ' + params?.arguments?.book + '.' } }] },
    'resources/list': { resources: [{ uri: 'book://emma', name: 'Emma' }] },
    'resources/templates/list': { resourceTemplates: [] },
    'resources/read': { contents: [{ uri: 'book://emma', text: 'Emma Woodhouse, handsome, clever, and rich' }] },
  }
  if (id !== undefined) say({ id, result: results[method] ?? {} })`

test('a prompt of a server starts a run, and its resources are found, asked for and read', async () => {
  const { command = '', args } = scriptedServer(LIBRARY)
  const { env } = await testHome(
    `[mcp.servers.library]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`,
  )
  const model = scriptedModel(
    [calls('more_tools', { category: 'mcp__library' })],
    [calls('call_tool', { name: 'mcp__library__read_resource', arguments: {} })],
    [calls('call_tool', { name: 'mcp__library__read_resource', arguments: { uri: 'book://emma' } })],
    [says('Done.')],
  )
  const cwd = await tempProject()
  const context = await openAppContext({ env, cwd, model, permission: 'auto', probe: false, window: 8_192 })
  onTestFinished(() => context.close())
  const session = await openSession(context.sessions, { resume: 'new', canAsk: true })
  onTestFinished(() => session.close())
  while (!session.expands('/library:review Emma')) await new Promise((resolve) => setTimeout(resolve, 20))

  const onEvent = (event: SessionEvent, open: SessionApi) => {
    if (event.type === 'permission-ask') void open.answer(event.askId, { allow: true })
  }
  const events = await promptAndCollect(session, { prompt: '/library:review Emma', onEvent })

  expect(model.asked[0]?.messages.at(-1)?.text).toContain('Review Emma.')
  expect(JSON.stringify(model.asked[0]?.tools)).not.toContain('mcp__')
  expect(ofType(events, 'permission-ask').map(({ access }) => access)).toEqual(
    Array.from({ length: 2 }, () => [{ kind: 'fetch', target: 'mcp__library__read_resource' }]),
  )
  expect(ofType(events, 'tool-end').map(({ ok, text }) => [ok, text])).toEqual([
    [
      true,
      'mcp__library__read_resource([uri]) - Read a resource of library; no uri lists them\nUse one with call_tool {name, arguments}.',
    ],
    [true, 'book://emma - Emma'],
    [true, '[resource book://emma]\nEmma Woodhouse, handsome, clever, and rich'],
  ])
})
