/** The promise of a key, with a host that is killed again and again: at most once, and never a result that is not true. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openTokens } from '../../../src/server/http/tokens.ts'
import { tempProject } from '../../support/project.ts'
import { testHome } from '../../support/tool-host.ts'
import { coveyProgram } from '../../support/program.ts'
import { seededRandom } from '../../support/seed.ts'
import { runs } from '../../support/runs.ts'

const ROUNDS = runs(5, 15)

type Answer = { readonly ok: boolean; readonly text: string; readonly code: string | null }

test('of calls to a host that is killed at any moment none runs twice, and each answer is true', async () => {
  const [home, folder] = [await testHome(), await tempProject()]
  const token = await openTokens(join(home.data, 'tokens')).add('tester', ['tools'])
  let child: ChildProcess | undefined
  onTestFinished(() => void child?.kill('SIGKILL'))
  const start = async (): Promise<string> => {
    const started = spawn(
      process.execPath,
      [...coveyProgram, 'tools', 'serve', '--port', '0', '--permission', 'bypass'],
      { cwd: folder, env: home.env, stdio: ['ignore', 'pipe', 'ignore'] },
    )
    child = started
    let banner = ''
    started.stdout.on('data', (data: Buffer) => (banner += data.toString()))
    while (!banner.includes('Ctrl+C')) await pause(20)
    return /http:\/\/127\.0\.0\.1:\d+/.exec(banner)?.[0] ?? ''
  }
  const execute = async (url: string, key: string): Promise<Answer | undefined> => {
    const response = await fetch(`${url}/v1/tools/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({
        tool: 'run_command',
        arguments: { command: `echo ${key} >> log.txt` },
        idempotency_key: key,
      }),
    }).catch(() => undefined)
    return (await response?.json().catch(() => undefined)) as Answer | undefined
  }

  const random = seededRandom('killed host')
  const answers = new Map<string, Answer>()
  for (let round = 0; round < ROUNDS; round++) {
    const url = await start()
    const keys = Array.from({ length: 6 }, (_, index) => `round-${round}-call-${index}`)
    const asked = keys.map(async (key) => [key, await execute(url, key)] as const)
    await pause(random() * 500)
    child?.kill('SIGKILL')
    const lost = (await Promise.all(asked)).flatMap(([key, answer]) => {
      if (answer) answers.set(key, answer)
      return answer ? [] : [key]
    })
    const again = await start()
    for (const key of lost) answers.set(key, (await execute(again, key)) as Answer)
    child?.kill('SIGKILL')
  }
  // None may have come so far as to write it.
  const log = (await readFile(join(folder, 'log.txt'), 'utf8').catch(() => '')).split('\n')
  const runs = (key: string): number => log.filter((line) => line === key).length

  const wrong = [...answers].filter(([key, { ok, code }]) => {
    if (code === 'unknown-outcome') return runs(key) > 1
    return !ok || runs(key) !== 1
  })
  expect(answers.size).toBe(6 * ROUNDS)
  expect(wrong).toEqual([])
})
