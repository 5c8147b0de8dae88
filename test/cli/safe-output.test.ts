/** Whatever a name, a file or a server brings along: nothing of it steers the terminal, and no address shows a password. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { safeIo } from '../../src/cli/safe-io.ts'
import { createLogger } from '../../src/lib/log.ts'
import { covey } from '../support/covey.ts'
import { startModelServer } from '../support/model-server.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'
import { testHome } from '../support/tool-host.ts'

/** CSI, OSC 52 (clipboard), C1 CSI and OSC, carriage return, backspace, bidi overrides and isolates, marks. */
const HOSTILE =
  'a\u001B[2Jb\u001B]52;c;eA==\u0007c\u009B31md\u009De\u009C\rf\bg\u202Eh\u2066i\u2069j\u200Ek\u200Fl\u061Cm\u2028n\u007F'
const STEERS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/

const script = (...lines: readonly object[]): string => lines.map((line) => JSON.stringify(line)).join('\n')

describe('nothing steers the terminal', () => {
  test.each([
    ['-v', ['-v', '-m', 'scripted:play.jsonl', 'Go.']],
    ['--json', ['run', '--json', '-m', 'scripted:play.jsonl', 'Go.']],
    ['an unknown command', ['sessions', HOSTILE]],
    ['an unknown model', ['-m', HOSTILE, 'Go.']],
    ['an unknown key', ['config', 'explain', HOSTILE]],
    ['a flag', ['--base-url', HOSTILE, 'Go.']],
    ['help of nothing', ['help', HOSTILE]],
    ['an unknown patch', ['patch', 'show', HOSTILE]],
    ['an unknown peer', ['peers', 'rm', HOSTILE]],
    ['a plan', ['plan', 'add', HOSTILE]],
    ['a fact', ['memory', 'add', HOSTILE]],
    ['trust', ['trust', 'add', HOSTILE]],
  ])('%s', async (_, args) => {
    const play = script(
      { calls: [{ name: 'read_file', input: { path: HOSTILE } }] },
      { calls: [{ name: HOSTILE, input: { [HOSTILE]: HOSTILE } }] },
      { text: `Done. ${HOSTILE}` },
    )
    const cwd = await tempProject({ 'play.jsonl': play })
    await writeFile(join(cwd, `x${HOSTILE.replaceAll('/', '')}`), '')

    const { out, err } = await covey(args, { cwd, env: await emptyHome() })

    expect(out + err).not.toMatch(STEERS)
    expect(out + err).not.toBe('')
  })

  test('dim lines and a progress line stay what they are', () => {
    let shown = ''
    const io = safeIo({
      out: (text: string) => void (shown += text),
      err: (text: string) => void (shown += text),
    } as never)

    io.out('\u001B[2mdim\u001B[22m')
    io.err('\r\u001B[K50 %')
    io.err('name\r\u001B[Kother')

    expect(shown).toBe('\u001B[2mdim\u001B[22m\r\u001B[K50 %name\\x0d\\x1b[Kother')
  })

  test('lines of the log', async () => {
    const file = join(await tempProject(), 'log')
    const log = await createLogger({ level: 'info', file, verbose: false })

    log.info({ client: HOSTILE, url: 'http://u:hunter2@h/' }, HOSTILE)
    const line = (await readFile(file, 'utf8')).trimEnd()

    expect(line).not.toMatch(STEERS)
    expect(line).not.toContain('hunter2')
    expect((JSON.parse(line) as { msg: string }).msg).toBe(HOSTILE)
  })
})

describe('no address shows its password', () => {
  const refusing = () =>
    startModelServer([{ status: 400, body: 'bad request to http://user:hunter2@h/v1' }], { repeatLast: true })
  const config = (port: string) => `
[router]
discover = false
[router.servers]
own = "http://user:hunter2@127.0.0.1:${port}/v1"
[arms.a]
base_url = "http://user:hunter2@127.0.0.1:${port}/v1?api_key=hunter2"
model = "m"
[mcp.servers.s]
url = "http://user:hunter2@127.0.0.1:9/mcp?token=hunter2"
[mcp.servers.t]
command = "no-such-program"
args = ["--api-key", "hunter2", "--db", "postgres://u:hunter2@h/db"]
`

  test.each([
    [['providers']],
    [['providers', '--json']],
    [['mcp']],
    [['mcp', 'test']],
    [['config', 'show']],
    [['config', 'explain', 'arms.a.base_url']],
    [['doctor']],
    [['run', '--json', '-m', 'a', 'Hello']],
    [['--base-url', 'http://user:hunter2@127.0.0.1:PORT/v1?key=hunter2', '-m', 'm', 'Hello']],
    [['--attach', 'http://user:hunter2@127.0.0.1:9/', 'Hello']],
    [['--tool-host', 'http://user:hunter2@127.0.0.1:9/', '-m', 'a', 'Hello']],
    [['models', 'probe', 'http://user:hunter2@127.0.0.1:9/v1']],
    [['slm', 'test', 'a']],
  ])('covey %j', async (args) => {
    const server = await refusing()
    const { port } = new URL(server.url)
    const { env } = await testHome(config(port))

    const typed = args.map((word) => word.replace('PORT', port))
    const { out, err } = await covey(typed, { cwd: await tempProject(), env })
    await server.close()

    expect(out + err).not.toContain('hunter2')
    expect(out + err).not.toBe('')
  })

  test('a server that quotes it back', async () => {
    const server = await startModelServer(
      [{ status: 400, body: 'bad request to http://user:hunter2@h/v1' }],
      {
        repeatLast: true,
      },
    )
    const { env } = await testHome('')

    const { out, err } = await covey(['--base-url', server.url, '-m', 'm', 'Hello'], {
      cwd: await tempProject(),
      env,
    })
    await server.close()

    expect(err).toContain('bad request')
    expect(out + err).not.toContain('hunter2')
  })
})
