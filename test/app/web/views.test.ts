/** What the pages show, computed from what is on disk. */
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { regretOf } from '../../../src/app/web/arms.ts'
import { readAudit } from '../../../src/app/web/safety.ts'
import type { DecisionRecord } from '../../../src/protocol/routing.ts'

const decided = (at: number, arm: string | undefined, qualities: Readonly<Record<string, number>>) =>
  ({
    at,
    decision: {
      ...(arm !== undefined && { arm }),
      ranked: Object.entries(qualities).map(([name, quality]) => ({ arm: name, quality, score: quality })),
    },
  }) as unknown as DecisionRecord

test('regret adds up what the best arm was expected to do better', () => {
  const decisions = [
    decided(1, 'a', { a: 0.75, b: 0.5 }),
    decided(2, 'b', { a: 0.75, b: 0.5 }),
    decided(3, undefined, {}),
    decided(4, 'b', { a: 0.5, b: 0.25 }),
  ]

  expect(regretOf(decisions)).toEqual([
    { at: 1, sum: 0 },
    { at: 2, sum: 0.25 },
    { at: 4, sum: 0.5 },
  ])
})

test('the audit log is read from its end, newest first, past lines that are cut or damaged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'covey-audit-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'audit.log')
  const line = (why: string) => ({
    at: '2026',
    what: 'refused',
    tool: 't',
    targets: ['x'],
    why,
    by: 'person',
  })
  await writeFile(path, `${'x'.repeat(200_000)}\n`)
  await appendFile(
    path,
    `${JSON.stringify(line('first'))}\nnot json\n${JSON.stringify(line('second'))}\n{"at"`,
  )

  expect(await readAudit(path)).toEqual([line('second'), line('first')])
  expect(await readAudit(join(folder, 'none'))).toEqual([])
})
