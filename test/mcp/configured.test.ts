import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { appPaths } from '../../src/config/paths.ts'
import { listMcpServers, openMcpServers } from '../../src/app/mcp.ts'
import { launchAsItIs } from '../support/launch.ts'
import { tempProject } from '../support/project.ts'
import { testHome } from '../support/tool-host.ts'
import { run, scriptedServer, toolNamed } from './servers.ts'

test('a configured server gets the harmless part of the environment and what is meant for it', async () => {
  const { command = '', args } = scriptedServer(
    `if (request.method !== 'tools/call') return usual(request)
     const { DEPLOY_TOKEN, EDITOR, OWN_KEY } = process.env
     say({ id: request.id, result: { content: [{ type: 'text', text: JSON.stringify({ DEPLOY_TOKEN, EDITOR, OWN_KEY }) }] } })`,
  )
  const home = await testHome(
    `[mcp.servers.odd]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nenv = { OWN_KEY = "\${ODD_KEY}" }\n` +
      '[mcp.servers.lost]\ncommand = "x"\nenv = { A = "${NO_SUCH}" }\n',
  )
  const env = { ...home.env, DEPLOY_TOKEN: 'd1', EDITOR: 'vi', ODD_KEY: 'o1' }
  const cwd = await tempProject()
  const { config } = await loadConfig({ env, cwd })
  const context = { config, env, cwd, paths: appPaths(env, process.platform), launch: launchAsItIs }
  const warnings: string[] = []

  const equipment = await openMcpServers(context, {
    incognito: false,
    warn: (text) => void warnings.push(text),
  })
  const go = await toolNamed(equipment, 'mcp__odd__go')
  const { text } = await run(go, {})
  await equipment.close()

  expect(JSON.parse(text)).toEqual({ EDITOR: 'vi', OWN_KEY: 'o1' })
  expect(warnings).toEqual(['The MCP server lost is left out: it needs NO_SUCH in the environment.'])
  expect((await listMcpServers(context)).map(({ name, state }) => [name, state])).toEqual([
    ['odd', '1 tool'],
    ['lost', 'it needs NO_SUCH in the environment'],
  ])
})
