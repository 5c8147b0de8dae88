import { appendFile, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { waitForLock } from '../../src/lib/lock.ts'
import type { DecisionRecord } from '../../src/protocol/routing.ts'
import { choose } from '../../src/router/choose.ts'
import { createDecisionLog } from '../../src/router/decision-log.ts'
import { createRouterService } from '../../src/router/service.ts'
import { openRecord } from '../../src/router/record.ts'
import { tempProject } from '../support/project.ts'
import { choice, view } from './views.ts'

function decision(runId: string): DecisionRecord {
  const input = choice({ arms: [view('a'), view('off', { enabled: false })] })
  const classification = {
    type: 'debug',
    complexity: 0.4,
    needsTools: true,
    category: 'read',
    source: 'slm',
  } as const
  return { at: 1_000, runId, cause: 'start', classification, input, decision: choose(input) }
}

async function logIn(folder: string, maxBytes?: number) {
  const path = join(folder, 'data', 'router-decisions.jsonl')
  const problems: string[] = []
  const onProblem = (message: string) => void problems.push(message)
  const log = createDecisionLog({ path, onProblem, ...(maxBytes !== undefined && { maxBytes }) })
  return { log, path, problems }
}

test('a decision is read back whole, by another process too', async () => {
  const folder = await tempProject()
  const { log, path } = await logIn(folder)

  log.append(decision('run-1'))
  await log.flush()

  expect(await (await logIn(folder)).log.read()).toEqual([decision('run-1')])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('a line that was cut off costs itself only', async () => {
  const { log, path } = await logIn(await tempProject())
  log.append(decision('run-1'))
  await log.flush()
  await appendFile(path, '\n{"at": 12, "runId": "ru')

  log.append(decision('run-2'))

  expect((await log.read()).map(({ runId }) => runId)).toEqual(['run-1', 'run-2'])
})

test('while another process cuts the log nothing is added to what it is about to replace', async () => {
  const { log, path, problems } = await logIn(await tempProject())
  log.append(decision('run-1'))
  await log.flush()
  const cutting = await waitForLock(path)

  log.append(decision('run-2'))
  await wait(50)
  const before = await readFile(path, 'utf8')
  await cutting.release()
  await log.flush()

  expect(before).not.toContain('run-2')
  expect((await log.read()).map(({ runId }) => runId)).toEqual(['run-1', 'run-2'])
  expect(problems).toEqual([])
})

test('the log is bounded; the newest stay', async () => {
  const { log, path } = await logIn(await tempProject(), 20_000)
  for (let run = 0; run < 100; run++) log.append(decision(`run-${run}`))
  await log.flush()

  expect((await readFile(path)).length).toBeLessThanOrEqual(20_000)
  expect((await log.read()).at(-1)?.runId).toBe('run-99')
})

test('a log that cannot be written is reported, and stops nothing', async () => {
  const { log, problems } = await logIn(await tempProject({ data: 'a file where the folder should be' }))

  log.append(decision('run-1'))

  expect(await log.read()).toEqual([])
  expect(problems[0]).toContain('router-decisions.jsonl cannot be written')
})

async function service() {
  const { log } = await logIn(await tempProject())
  const record = await openRecord({ learning: true, onProblem: (message) => expect.fail(message) })
  return { log, record, ...createRouterService({ record, log }) }
}

test('without a run there is nothing but a hint', async () => {
  expect(await (await service()).stats()).toEqual({
    arms: [],
    tasks: [],
    sources: { keywords: 0, slm: 0, slm_fallback: 0 },
    hints: ['No run was judged yet; arms are chosen by size and what they declare.'],
  })
})

test('the table has a row for each arm and type that was judged, and says what rests on little', async () => {
  const { record, stats } = await service()
  record.noteClassifier('slm_fallback')
  for (let run = 0; run < 5; run++) {
    record.noteRun({ runId: `run-${run}`, arm: 'qwen:7b', type: 'debug', complexity: 0.5 })
    record.noteEvidence(`run-${run}`, 'answered')
  }

  const { tasks, hints } = await stats()

  expect(tasks).toEqual([
    {
      arm: 'qwen:7b',
      type: 'debug',
      runs: 5,
      quality: expect.objectContaining({ weight: expect.closeTo(0.5, 2) }),
    },
  ])
  expect(hints).toEqual([
    '1 of 1 rows rest on too little to count for much; size still decides there.',
    'Most runs were only answered, which says little. Tests and [checks] let the router learn faster.',
    'The small model was often late or unreadable, and words decided instead.',
  ])
})

test('the choices of the last run are found, or of one by its id', async () => {
  const { log, decisions } = await service()
  for (const runId of ['run-1', 'run-2', 'run-2']) log.append(decision(runId))

  expect((await decisions()).map(({ runId }) => runId)).toEqual(['run-2', 'run-2'])
  expect((await decisions('run-1')).length).toBe(1)
  expect(await decisions('run-9')).toEqual([])
})

test('reset forgets outcomes and choices', async () => {
  const { log, record, decisions, stats, reset } = await service()
  log.append(decision('run-1'))
  record.noteRun({ runId: 'run-1', arm: 'a', type: 'debug', complexity: 0.5 })
  record.noteEvidence('run-1', 'checks-green')

  await reset()

  expect(await decisions()).toEqual([])
  expect((await stats()).tasks).toEqual([])
})
