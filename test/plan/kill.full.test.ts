import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openPlanStore, planFileOf } from '../../src/plan/store.ts'
import { childProgram } from '../support/child.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'
import { seededRandom } from '../support/seed.ts'
import { runs } from '../support/runs.ts'

const script = await childProgram(new URL('child.ts', import.meta.url))

const KILLS = runs(5, 10)

type Kill = { readonly afterSteps: number; readonly afterMs: number }

/** Starts the program and kills it in the middle of its work; what it said last. */
async function work(cwd: string, env: NodeJS.ProcessEnv, kill?: Kill): Promise<string> {
  const child = spawn(process.execPath, [script, cwd], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  let killing: NodeJS.Timeout | undefined
  child.stdout.on('data', (data: Buffer) => {
    said += data.toString()
    if (!kill || killing || said.split('step').length <= kill.afterSteps) return
    killing = setTimeout(() => child.kill('SIGKILL'), kill.afterMs)
  })
  await once(child, 'close')
  clearTimeout(killing)
  return said.trim().split('\n').at(-1) ?? ''
}

test('a queue of thirty packets that is killed again and again ends with nothing done twice', async () => {
  const cwd = await tempProject()
  const env = await emptyHome()
  const store = openPlanStore(planFileOf(join(String(env['XDG_DATA_HOME']), 'covey'), cwd))
  await store.change({
    type: 'add',
    texts: Array.from({ length: 15 }, (_, index) => `parts of ${index + 1}`),
  })

  const random = seededRandom('killed queue')
  const ends: string[] = []
  for (let attempt = 0; attempt < KILLS; attempt++) {
    ends.push(await work(cwd, env, { afterSteps: 1 + (attempt % 6), afterMs: random() * 60 }))
  }
  const last = await work(cwd, env)

  expect(ends).toEqual(Array.from({ length: KILLS }, () => 'step'))
  expect(last).toBe('finished')
  expect((await store.read()).tasks.map(({ state }) => state)).toEqual(
    Array.from({ length: 15 }, () => 'complete'),
  )
  const written = (await readFile(join(cwd, 'log.txt'), 'utf8')).trim().split('\n')
  expect(written).toEqual(Array.from({ length: 15 }, (_, index) => [`${index + 1}a`, `${index + 1}b`]).flat())
})
