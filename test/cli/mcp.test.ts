import { describe, expect, test } from 'vitest'
import { scriptedServer } from '../mcp/servers.ts'
import { covey } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { testHome } from '../support/tool-host.ts'

const { command = '', args } = scriptedServer('usual(request)')

const configured = `
[mcp.servers.odd]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}

[mcp.servers.gone]
command = "no-such-program-of-anyone"

[mcp.servers.off]
url = "http://127.0.0.1:9/mcp"
enabled = false
`

async function run(words: readonly string[], config = configured) {
  const { env } = await testHome(config)
  return covey(words, { cwd: await tempProject(), env })
}

describe('covey mcp', () => {
  test('lists the configured servers without starting one', async () => {
    const { code, out } = await run(['mcp', 'ls'])

    expect(code).toBe(0)
    expect(out.split('\n').map((line) => line.split(/\s{2,}/).slice(0, 2))).toEqual([
      ['odd', 'not asked yet'],
      ['gone', 'not asked yet'],
      ['off', 'switched off'],
      [''],
    ])
  })

  test('says how to add one where there is none', async () => {
    expect((await run(['mcp'], '')).out).toBe(
      'No MCP servers; add [mcp.servers.NAME] to the configuration.\n',
    )
  })

  test('test starts servers and shows what they have; one that fails is reported and makes the exit code 1', async () => {
    const all = await run(['mcp', 'test'])
    const one = await run(['mcp', 'test', 'odd'])

    expect(all.code).toBe(1)
    expect(all.out).toBe('odd: 1 tools\n  mcp__odd__go - Goes\ngone: 0 tools\n')
    expect(all.err).toMatch(/^covey: gone: the MCP server gone cannot be used: .*could not be started/)
    expect(one).toEqual({ code: 0, out: 'odd: 1 tools\n  mcp__odd__go - Goes\n', err: '' })
  })

  test('what a test showed is known from then on', async () => {
    const { env } = await testHome(configured)
    const cwd = await tempProject()

    await covey(['mcp', 'test', 'odd'], { cwd, env })

    expect((await covey(['mcp'], { cwd, env })).out).toMatch(/^odd +1 tool /)
  })

  test.each([
    [['mcp', 'test', 'absent'], /there is no usable MCP server "absent"/],
    [['mcp', 'nonsense'], /unknown action "nonsense" of covey mcp; there are ls, test, serve/],
    [['mcp', 'serve', '--permission', 'yes'], /--permission/],
  ])('%s is wrong usage', async (words, message) => {
    const { code, err } = await run(words)

    expect(code).toBe(2)
    expect(err).toMatch(message)
  })
})

describe('covey tools', () => {
  test('lists what would be offered', async () => {
    const { code, out } = await run(['tools'], '[tool_host]\ntools = ["read_file"]\n')

    expect(code).toBe(0)
    expect(out).toMatch(/^read_file {2,}read +\S.*\n$/)
  })

  test.each([
    [['tools', 'nonsense'], /unknown action "nonsense" of covey tools; there are ls, serve/],
    [['tools', 'serve', '--port', '99999'], /--port/],
    [['tools', 'serve', '--host', '0.0.0.0'], /covey token add NAME --scope tools/],
    [['tools', 'serve', '--host', '0.0.0.0', '--no-auth'], /--no-auth is for this machine only/],
  ])('%s is wrong usage', async (words, message) => {
    const { code, err } = await run(words, '')

    expect(code).toBe(2)
    expect(err).toMatch(message)
  })
})
