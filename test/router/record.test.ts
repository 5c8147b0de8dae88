import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRecord, type RunShare } from '../../src/router/record.ts'
import { childProgram } from '../support/child.ts'
import { tempProject } from '../support/project.ts'

const share = (runId: string, facts: Partial<RunShare> = {}): RunShare => ({
  runId,
  arm: 'a',
  type: 'debug',
  complexity: 0.5,
  ...facts,
})

async function recordIn(folder: string, learning = true) {
  const problems: string[] = []
  const path = join(folder, 'data', 'router.json')
  const record = await openRecord({ path, learning, onProblem: (message) => problems.push(message) })
  return { record, problems, path }
}

test('what was learnt is there after a restart, readable by no other user', async () => {
  const folder = await tempProject()
  const { record, path } = await recordIn(folder)
  record.noteClassifier('slm')
  record.noteRun(share('run-1'))
  record.noteEvidence('run-1', 'checks-green')
  record.noteTiming('a', { firstTokenMs: 300, tokensPerSecond: 20 })
  record.noteTiming('a', { firstTokenMs: 400 })
  await record.flush()

  const { record: again } = await recordIn(folder)

  expect(again.learned()).toEqual(record.learned())
  expect(again.learned()['a']?.cells.debug).toMatchObject({ w: 1, wy: 1, runs: 1 })
  expect(again.sources()).toEqual({ keywords: 0, slm: 1, slm_fallback: 0 })
  expect(again.arms()).toEqual([{ arm: 'a', requests: 2, firstTokenMs: 320, tokensPerSecond: 20 }])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('evidence that comes late replaces weaker evidence, and weaker evidence changes nothing', async () => {
  const { record } = await recordIn(await tempProject())
  record.noteRun(share('run-1'))

  record.noteEvidence('run-1', 'answered')
  record.noteEvidence('run-1', 'checks-red')
  record.noteEvidence('run-1', 'answered')

  expect(record.learned()['a']?.cells.debug).toMatchObject({ wy: 0, runs: 1 })
  expect(record.learned()['a']?.cells.debug?.w).toBeCloseTo(1)
})

test('a run that was given to a better arm counts against the first one and for the second', async () => {
  const { record } = await recordIn(await tempProject())
  record.noteRun(share('run-1', { arm: 'small' }))
  record.noteEvidence('run-1', 'escalated')
  record.noteRun(share('run-1', { arm: 'large' }))
  record.noteEvidence('run-1', 'checks-green')

  expect(record.learned()).toMatchObject({
    small: { cells: { debug: { w: 1, wy: 0 } } },
    large: { cells: { debug: { w: 1, wy: 1 } } },
  })
})

test('evidence about an unknown run changes nothing', async () => {
  const { record } = await recordIn(await tempProject())

  record.noteEvidence('run-1', 'checks-green')

  expect(record.learned()).toEqual({})
})

test('two processes lose nothing of each other', async () => {
  const folder = await tempProject()
  const [one, other] = [await recordIn(folder), await recordIn(folder)]
  for (let run = 0; run < 10; run++) {
    for (const [name, { record }] of Object.entries({ one, other })) {
      record.noteRun(share(`${name}-${run}`))
      record.noteEvidence(`${name}-${run}`, 'checks-green')
      record.ledgers.change('pool', (ledger) => ({
        day: { '1': { requests: (ledger.day?.['1']?.requests ?? 0) + 1, input: 0, output: 0, dollars: 0 } },
      }))
    }
  }
  await Promise.all([one.record.flush(), other.record.flush()])

  const { record } = await recordIn(folder)

  expect(record.learned()['a']?.cells.debug?.runs).toBe(20)
  expect(record.ledgers.get('pool').day?.['1']?.requests).toBe(20)
  expect([...one.problems, ...other.problems]).toEqual([])
})

test('a process that is killed leaves a record that can be read', async () => {
  const folder = await tempProject()
  const path = join(folder, 'router.json')
  const script = await childProgram(new URL('child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.once('data', () => child.kill('SIGKILL'))
  await once(child, 'close')

  const problems: string[] = []
  const record = await openRecord({ path, learning: true, onProblem: (message) => problems.push(message) })
  const known = record.learned()['a']?.cells.debug?.runs ?? 0
  record.noteRun(share('after'))
  record.noteEvidence('after', 'checks-green')
  await record.flush()

  expect(known).toBeGreaterThanOrEqual(3)
  expect((JSON.parse(await readFile(path, 'utf8')) as { runs: object[] }).runs.at(-1)).toMatchObject({
    runId: 'after',
  })
  expect(problems).toEqual([])
})

test('in incognito what was learnt is used, and nothing is added', async () => {
  const folder = await tempProject()
  const { record: before, path } = await recordIn(folder)
  before.noteRun(share('run-1'))
  before.noteEvidence('run-1', 'checks-green')
  await before.flush()
  const text = await readFile(path, 'utf8')

  const { record } = await recordIn(folder, false)
  record.noteRun(share('run-2'))
  record.noteEvidence('run-2', 'checks-red')
  record.noteTiming('a', { firstTokenMs: 1 })
  record.ledgers.change('pool', () => ({ day: {} }))
  await record.flush()

  expect(record.learned()).toEqual(before.learned())
  expect(await readFile(path, 'utf8')).toBe(text)
})

test('all of it can be erased, except what pools have used', async () => {
  const folder = await tempProject()
  const { record } = await recordIn(folder)
  const used = { day: { '1': { requests: 1, input: 0, output: 0, dollars: 2 } } }
  record.noteRun(share('run-1'))
  record.noteEvidence('run-1', 'checks-green')
  record.ledgers.change('pool', () => used)

  record.reset()
  await record.flush()

  const { record: again } = await recordIn(folder)
  expect(again.learned()).toEqual({})
  expect(again.ledgers.get('pool')).toEqual(used)
})

test('a damaged file is kept beside a new one, and said so', async () => {
  const folder = await tempProject({ 'data/router.json': '{"version": 1, "learned": ' })

  const { record, problems, path } = await recordIn(folder)
  record.noteClassifier('keywords')
  await record.flush()

  expect(problems).toEqual([
    `${path} could not be read; it is kept as ${path}.damaged, and learning starts anew.`,
  ])
  expect(await readdir(join(folder, 'data'))).toEqual([
    'router.json',
    'router.json.damaged',
    'router.json.lock',
  ])
})

test.each([
  ['its folder cannot be made', 'blocked/router.json', 'blocked'],
  ['it cannot be locked', 'router.json', 'router.json.lock'],
])(
  'where %s no run is lost: a warning follows, and what was learnt holds until the end',
  async (_, name, blocked) => {
    const folder = await tempProject({ [blocked]: 'a file where a folder should be' })
    const problems: string[] = []
    const path = join(folder, name)
    const record = await openRecord({ path, learning: true, onProblem: (message) => problems.push(message) })

    record.noteClassifier('slm')
    await record.flush()

    expect(record.sources().slm).toBe(1)
    expect(problems[0]).toContain("The router's record cannot be kept: ")
  },
)

test('the record stays small: the oldest runs and the least known arms make room', async () => {
  const record = await openRecord({ learning: true, onProblem: () => {} })
  for (let run = 0; run < 400; run++) {
    record.noteRun(share(`run-${run}`, { arm: `arm-${run}` }))
    record.noteEvidence(`run-${run}`, 'checks-green')
  }

  record.noteEvidence('run-50', 'checks-red')

  expect(Object.keys(record.learned()).length).toBe(200)
  expect(record.learned()['arm-399']).toBeDefined()
})

test('arms and pools may have the names every object has', async () => {
  const folder = await tempProject()
  const { record } = await recordIn(folder)
  const used = { requests: 1, input: 0, output: 0, dollars: 0 }

  for (const name of ['constructor', 'toString']) {
    record.noteRun(share(`run-${name}`, { arm: name }))
    record.noteEvidence(`run-${name}`, 'checks-green')
    record.noteTiming(name, { firstTokenMs: 1 })
    record.ledgers.change(name, (ledger) => ({ ...ledger, day: { '1': used } }))
  }
  await record.flush()

  const { record: again, problems } = await recordIn(folder)
  expect(again.learned()['constructor']?.cells.debug).toMatchObject({ w: 1, runs: 1 })
  expect(again.arms().map(({ arm }) => arm)).toEqual(['constructor', 'toString'])
  expect(again.ledgers.get('constructor')).toEqual({ day: { '1': used } })
  expect(again.ledgers.get('valueOf')).toEqual({})
  expect(problems).toEqual([])
})

test('what may be lost is written by itself once there is much of it', async () => {
  const folder = await tempProject()
  const { record, path } = await recordIn(folder)

  for (let request = 0; request < 200; request++) record.noteTiming('a', { firstTokenMs: 1 })

  await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toContain('"requests":200')
  await record.flush()
})

test('an arm that asked to slow down is left alone after a restart, except in incognito', async () => {
  const folder = await tempProject()
  const aside = { until: 1_000_000, why: 'it asked to slow down', failures: 1 }
  const { record } = await recordIn(folder)
  record.noteAside('a', aside)
  // What is flushed belongs to this process; a file that holds it already needs no orderly end.
  await expect.poll(async () => (await recordIn(folder)).record.asides()).toEqual({ a: aside })

  const { record: hidden } = await recordIn(folder, false)
  hidden.noteAside('b', aside)
  await hidden.flush()

  expect((await recordIn(folder)).record.asides()).toEqual({ a: aside })
})
