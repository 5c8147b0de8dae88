/** Small models make mistakes of many kinds: a run with any of them does the task, or ends with a reason that is true. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../../support/model-server.ts'
import { tempProject } from '../../support/project.ts'
import { endOf, run } from '../../support/run.ts'
import { lost, written } from './kinds.ts'
import { B, CHANGED, createPlayer, FILES, PROMPT, type Spoil } from './player.ts'
import { runs } from '../../support/runs.ts'
import { seededSlice } from '../../support/seed.ts'

const MOST_REQUESTS = 60

async function play(spoil: Spoil, times: number) {
  const root = await tempProject(FILES)
  const player = createPlayer(root, spoil, times)
  const server = await startModelServer(Array.from({ length: MOST_REQUESTS }, () => player.reply))
  onTestFinished(() => server.close())
  const events = await run(server, root, { prompt: PROMPT, flags: { 'engine.evidence': false } })
  const read = (path: string): string => {
    try {
      return readFileSync(join(root, path), 'utf8')
    } catch {
      return ''
    }
  }
  const isDone = read('src/a.js') === CHANGED && read('src/b.js') === B
  const { reason, flag, report } = endOf(events)
  return { isDone, reason, flag, report, requests: server.requests.length, spoilt: player.spoilt }
}

const PERFECT = 5

/** Others at every commit. */
const some = <Kind>(kinds: readonly Kind[]): readonly Kind[] =>
  seededSlice(kinds, runs(16, kinds.length), 'mistakes')

describe('a call that is only written wrongly runs as it was meant:', () => {
  test.each(some(written))('%s', async (_name, spoil) => {
    const { isDone, reason, requests, spoilt } = await play(spoil, 1)

    expect({ isDone, reason, requests }).toEqual({ isDone: true, reason: 'answered', requests: PERFECT })
    expect(spoilt).toBeGreaterThan(0)
  })
})

describe('a reply that does nothing is asked for again:', () => {
  test.each(some(lost))('%s', async (_name, spoil) => {
    const { isDone, reason, spoilt } = await play(spoil, 2)

    expect({ isDone, reason }).toEqual({ isDone: true, reason: 'answered' })
    expect(spoilt).toBeGreaterThan(0)
  })
})

describe('a model that never does better ends as what it is:', () => {
  test.each(some(lost))('%s', async (_name, spoil) => {
    const { isDone, reason, flag } = await play(spoil, Number.POSITIVE_INFINITY)

    expect(isDone || reason !== 'answered' || flag !== undefined).toBe(true)
  })
})
