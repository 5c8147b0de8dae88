/** What a page receives about sessions and about requests of other programs. */
import { expect, test } from 'vitest'
import type { Activity } from '../../../src/protocol/page.ts'
import { createActivity } from '../../../src/server/web/activity.ts'

const session = { kind: 'session', id: 's1' } as const
const request = { kind: 'request', id: 'r1', client: 'editor' } as const
const begun = { type: 'vote', stage: 'start', why: 'always', workers: ['a', 'b'] } as const

test('votes of sessions and of requests name their source', async () => {
  const activity = createActivity(() => 1_000)
  activity.push(session, begun)
  activity.push(request, begun)
  activity.push(request, { type: 'text-delta', text: 'not shown' })
  activity.push(request, { type: 'request-end' })
  activity.close()

  const told: Activity[] = []
  for await (const { event, data } of activity.watch(undefined, new AbortController().signal))
    if (event === undefined) told.push(JSON.parse(data) as Activity)

  expect(told).toEqual([
    { id: 1_001, at: 1_000, source: session, event: begun },
    { id: 1_002, at: 1_000, source: request, event: begun },
    { id: 1_003, at: 1_000, source: request, event: { type: 'request-end' } },
  ])
})

test('the newest call of a tool is known, also of one that a model made up a thousand names for', () => {
  let now = 0
  const activity = createActivity(() => ++now)
  const call = (name: string, ok: boolean) =>
    activity.push(session, { type: 'tool-end', callId: 'c', name, ok, text: '', ms: 5 })
  call('read_file', true)
  for (let index = 0; index < 1_000; index++) call(`made_up_${index}`, false)
  call('run_command', false)

  const last = activity.lastCall((tool) => ['read_file', 'run_command'].includes(tool))

  expect(last).toMatchObject({ tool: 'run_command', ms: 5, ok: false })
  expect(activity.lastCall((tool) => tool === 'read_file')).toBeUndefined()
})
