/** Two machines on a network of their own, set up with the commands of docs/tool-host.md: real processes, a real wire. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/wait.ts'
import { type NamespaceMachine, openSite, type Site, whyNoNamespaces } from '../namespaces.ts'
import { coveyProgram } from '../../support/program.ts'

const IP = 'ip'

const missing = whyNoNamespaces()

describe.skipIf(missing !== undefined)(`a paired tool host${missing ? ` (${missing})` : ''}`, () => {
  let site: Site
  let tower: NamespaceMachine
  let laptop: NamespaceMachine
  let host: ChildProcess

  beforeAll(async () => {
    site = await openSite(2, '')
    ;[tower, laptop] = site.machines as [NamespaceMachine, NamespaceMachine]
    await tower.serve()
    const { out } = await tower.run(['peers', 'invite'])
    await laptop.run(['peers', 'join', out.trim()])
    await tower.run(['peers', 'scope', '10-79-0-2', 'generate,status,tools'])
    host = await startTools(tower)
  })

  afterAll(async () => {
    host.kill('SIGKILL')
    await site.close()
  })

  const there = (name: string) => join(tower.folder, 'work', name)

  /** What the calls of a session on the laptop came to. */
  async function session(...calls: readonly object[]): Promise<readonly { ok: boolean; text: string }[]> {
    const turns = [...calls.map((call) => ({ calls: [call] })), { text: 'Done.' }]
    await writeFile(
      join(laptop.folder, 'work', 's.jsonl'),
      turns.map((turn) => JSON.stringify(turn)).join('\n'),
    )
    const words = '--tool-host peer/10-79-0-1 --permission bypass --model scripted:s.jsonl --json'
    const { out } = await laptop.run([...words.split(' '), 'go'])
    const events = out
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { type: string }]))
    return events.filter(({ type }) => type === 'tool-end') as never
  }

  test('edits and runs for a session on the other machine, which has no token', async () => {
    const results = await session(
      { name: 'write_file', input: { path: 'a.txt', content: 'one' } },
      { name: 'run_command', input: { command: 'cat a.txt; hostname -I' } },
    )

    expect(results.map(({ ok }) => ok)).toEqual([true, true])
    expect(results[1]?.text).toMatch(/one.*10\.79\.0\.1/s)
    expect(await readFile(there('a.txt'), 'utf8')).toBe('one')
    expect(existsSync(join(laptop.folder, 'work', 'a.txt'))).toBe(false)
  })

  test.each([
    ['killed', () => void host.kill('SIGKILL')],
    ['cut off', () => tower.cut()],
  ])(
    'that is %s in the middle of a command leaves its outcome unknown, and runs nothing twice',
    async (how, lose) => {
      const log = `${how.replace(' ', '-')}.txt`
      const running = session({ name: 'run_command', input: { command: `echo once >> ${log}; sleep 90` } })
      await until(() => existsSync(there(log)) && readFileSync(there(log), 'utf8') !== '')
      lose()

      const [lost] = await running
      tower.repair()
      if (host.signalCode !== null) host = await startTools(tower)
      const [after] = await session({ name: 'read_file', input: { path: log } })

      expect(lost).toMatchObject({ ok: false, text: expect.stringContaining('unknown outcome: ') })
      expect(after).toMatchObject({ ok: true })
      expect(await readFile(there(log), 'utf8')).toBe('once\n')
    },
  )
})

async function startTools({ name, address, folder }: NamespaceMachine): Promise<ChildProcess> {
  const words = `tools serve --host ${address} --permission bypass`.split(' ')
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CONFIG_HOME: join(folder, 'config'),
  }
  const command = ['netns', 'exec', name, process.execPath, ...coveyProgram, ...words]
  const child = spawn(IP, command, { env, cwd: join(folder, 'work'), stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (data: Buffer) => data.toString().includes('Ctrl+C') && resolve())
    child.once('close', (code) => reject(new Error(`covey tools serve ended with ${code}`)))
  })
  return child
}
