import { expect, test } from 'vitest'
import type { Decision } from '../../../src/nano/decide.ts'
import { composedCall } from '../../../src/nano/calls/composed.ts'
import { type RankingPlace, withEnd } from '../../../src/nano/calls/likeliest.ts'
import { rankedContent } from '../../../src/nano/calls/ranked-content.ts'
import type { LikelyContent, Opinions } from '../../../src/nano/opinion/load.ts'
import { createPathProject } from '../../../src/nano/paths/project.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const project = createPathProject(['todo.md'], new Map([['todo.md', '- [ ] call Ann\n']]))
const files = createFiles({ root: await tempProject({ 'todo.md': '- [ ] call Ann\n' }) })

function placeWith(contents: LikelyContent[]): RankingPlace {
  const opinions: Opinions = {
    action: () => new Map(),
    verdict: () => [],
    edits: () => [],
    paths: () => [{ value: 'todo.md', share: 0.9 }],
    targets: () => [],
    texts: () => [],
    contents: () => contents,
    commands: () => [],
    further: () => [],
    trust: () => 0,
    parts: (request) => [request],
    knows: () => true,
  }
  const request = 'put buy rosin on my todo'
  return { request, clause: request, project, recent: [], opinions }
}

const boxed: LikelyContent = { value: '- [ ] buy rosin', said: 'buy rosin', share: 0.9 }
const plain: LikelyContent = { value: 'buy rosin', said: 'buy rosin', share: 0.05 }

const call = { name: 'write_file', input: { path: 'todo.md', content: 'buy rosin', append: true } }
const text = `<tool_call>\n${JSON.stringify({ name: call.name, arguments: call.input })}\n</tool_call>`

const decided = (decision: Decision, likely: LikelyContent[], sure = 0.8): Promise<Decision> =>
  rankedContent(decision, {
    ...placeWith(likely),
    files,
    isBegun: false,
    reply: {
      text,
      confidences: [sure],
      isCut: false,
      usage: { prompt: 0, completion: 0 },
      times: { firstTokenMs: 0, decodeMs: 0 },
    },
  })

test('a text that is much likelier takes the place of the one nano points at, and is asked for', async () => {
  const decision = await decided({ kind: 'call', call }, [boxed, plain])

  expect(decision).toMatchObject({
    kind: 'guess',
    isLikely: false,
    call: { input: { path: 'todo.md', content: '- [ ] buy rosin', append: true } },
  })
})

test('a text that is the likeliest stays as it is, and is done without a question where it was', async () => {
  const decision: Decision = { kind: 'call', call }

  expect(await decided(decision, [{ ...plain, share: 0.9 }])).toBe(decision)
  expect(
    await decided(decision, [
      { ...boxed, share: 0.5 },
      { ...plain, share: 0.4 },
    ]),
  ).toBe(decision)
})

test('a text that seems to go on is asked for where it would have been done', async () => {
  const longer = { value: 'buy rosin at the bottom', said: 'buy rosin at the bottom', share: 0.5 }

  expect(await decided({ kind: 'call', call }, [longer, { ...plain, share: 0.4 }])).toMatchObject({
    kind: 'guess',
    isLikely: false,
    call,
  })
})

test('what the words are against is not made into a question', async () => {
  const doubt: Decision = { kind: 'doubt', call }

  expect(await decided(doubt, [boxed, plain])).toBe(doubt)
})

test('an append is put together where nano chose another action', () => {
  expect(composedCall('append', placeWith([boxed]))).toEqual({
    name: 'write_file',
    input: { path: 'todo.md', content: '- [ ] buy rosin', append: true },
  })
  expect(composedCall('append', placeWith([plain]))).toBeUndefined()
  expect(composedCall('write', placeWith([boxed]))).toBeUndefined()
})

test('a part keeps its own bracket and full stop', () => {
  expect(withEnd('put clay (Digbeth', 'put clay (Digbeth) on it')).toBe('put clay (Digbeth)')
  expect(withEnd('add milk', 'add milk and bread')).toBe('add milk')
})
