import { createHash } from 'node:crypto'
import { encode } from 'gpt-tokenizer/encoding/cl100k_base'
import { describe, expect, test } from 'vitest'
import { estimateTokens, fixedTokens, messagesTokens } from '../../src/context/count.ts'
import { createFit } from '../../src/context/fit.ts'
import type { FitInput } from '../../src/protocol/fit.ts'
import type { Lease } from '../../src/protocol/arm.ts'
import type { Message } from '../../src/protocol/message.ts'
import type { ToolSchema } from '../../src/protocol/model.ts'
import { call, calls, failure, result, says, user } from './conversation.ts'

const tools: ToolSchema[] = Array.from({ length: 8 }, (_, at) => ({
  name: `tool_${at}`,
  description: 'Read a text file, a page at a time. Lines come back numbered.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}))
const system = 'You are a coding agent. Act with the tools, one step at a time.'

const leaseOf = (window: number): Lease => ({
  arm: {
    id: 'arm',
    local: true,
    capabilities: {
      window,
      windowFrom: 'configured',
      tools: 'native',
      emission: { base: 'tool-role' },
      reasoning: 'drop',
      editForm: 'search',
      requiredChoice: false,
      prefill: false,
      vision: false,
    },
  },
  model: {
    name: 'none',
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error()) }) }),
  },
  why: 'test',
  countTokens: estimateTokens,
  commit: () => {},
  release: () => {},
  toText: () => false,
})

const input = (messages: readonly Message[], changes: Partial<FitInput> = {}): FitInput => ({
  messages,
  tools,
  lease: leaseOf(4096),
  force: false,
  resultsSinceCompaction: Number.POSITIVE_INFINITY,
  ...changes,
})

const lines = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `${from + at}\texport const value${from + at} = ${at}`).join('\n')

test('a short conversation is shown as it is, with the reserve and the page of its window', async () => {
  const messages = [user('hi'), says('hello')]

  expect(await createFit({ system })(input(messages))).toEqual({
    messages,
    maxTokens: 1024,
    promptTokens: 465,
    pageTokens: 614,
    roomTokens: 2299,
  })
})

test('a full one is compacted, and says by how much', async () => {
  const turns = Array.from({ length: 9 }, (_, at): Message[] => [
    calls(call(`c${at}`, 'read_file', { path: `${at}.ts` })),
    result(`c${at}`, lines(1, 40)),
  ])

  const fitted = await createFit({ system })(input([user('go'), ...turns.flat()]))

  expect(fitted.compaction).toEqual({
    stage: 'shrink',
    before: expect.any(Number),
    after: expect.any(Number),
  })
  expect(fitted.compaction?.after).toBeLessThanOrEqual(1843)
  expect(fitted.messages.slice(-2)).toEqual(turns.at(-1))
})

test('a refused request is compacted although it seemed to fit', async () => {
  const messages = [
    user('go'),
    calls(call('c1', 'read_file', { path: 'a' })),
    result('c1', lines(1, 60)),
    says('ok'),
  ]

  const fitted = await createFit({ system })(input(messages, { force: true }))

  expect(fitted.compaction).toBeDefined()
  expect(messagesTokens(fitted.messages, { count: estimateTokens })).toBeLessThan(
    messagesTokens(messages, { count: estimateTokens }) * 0.6,
  )
})

test('what cannot get smaller stays as it is, however often it is asked for', async () => {
  const messages = [user('hi'), says('hello')]

  const fitted = await createFit({ system })(input(messages, { force: true }))

  expect(fitted).toEqual({ messages, maxTokens: 1024, promptTokens: 465, pageTokens: 614, roomTokens: 2299 })
})

test('only so many messages are shown where that is switched on', async () => {
  const messages = [user('one'), says('1'), user('two'), says('2'), user('three')]

  expect((await createFit({ system, maxMessages: 3 })(input(messages))).messages).toEqual(messages.slice(2))
})

test('instructions that leave no room are reported as a window that is too small', async () => {
  const fit = createFit({ system: lines(1, 600) })

  const fitted = await fit(input([user('go')]))

  expect(fitted.tooSmall).toMatch(
    /^A window of 4,096 tokens is too small to go on: instructions and tools take /,
  )
})

test('twice without a good result is not tried, and ends when nothing fits any more', async () => {
  const huge = [user('go'), calls(call('c1', 'read_file', { path: 'a' })), failure('c1', lines(1, 500))]

  const fitted = await createFit({ system })(input(huge, { resultsSinceCompaction: 0 }))

  expect(fitted.tooSmall).toContain('too small')
})

describe('25 turns over three large files in a window of 4,096', () => {
  const paths = ['src/a.ts', 'src/b.ts', 'src/c.ts']
  type Step = readonly [name: string, input: Record<string, unknown>, text: string, ok: boolean]
  const steps: Step[] = paths.flatMap((path): Step[] => [
    ...[1, 71, 141, 211].map((from): Step => ['read_file', { path, from }, lines(from, 70), true]),
    ...[1, 2, 3].map((at): Step => [
      'edit_file',
      { path, old: `old${at}`, new: `new${at} in ${path}` },
      'Edited.',
      true,
    ]),
    ['run_command', { command: 'node check.js' }, `FAIL ${path}: 3 left\nexit code 1`, false],
  ])
  steps.push(['run_command', { command: 'node check.js' }, 'GREEN 7712', true])

  test('never overflow, compact seldom, and lose none of what was done', async () => {
    const fit = createFit({ system })
    const fixed = fixedTokens(system, tools, estimateTokens)
    const stages: string[] = []
    let messages: readonly Message[] = [
      user('Replace every old text in the three files, then make node check.js green.'),
    ]
    let results = Number.POSITIVE_INFINITY

    for (const [at, [name, given, text, ok]] of steps.entries()) {
      const fitted = await fit(input(messages, { resultsSinceCompaction: results }))
      expect(fitted.tooSmall).toBeUndefined()
      expect(fixed + messagesTokens(fitted.messages, { count: estimateTokens })).toBeLessThan(2765)
      if (fitted.compaction) {
        stages.push(fitted.compaction.stage)
        results = 0
      }
      const answer = ok ? result(`c${at}`, text) : failure(`c${at}`, text)
      messages = [...fitted.messages, calls(call(`c${at}`, name, given)), answer]
      if (ok) results++
    }

    const shown = messages.map((message) => JSON.stringify(message)).join('\n')
    expect(steps).toHaveLength(25)
    expect(stages.length).toBeLessThanOrEqual(8)
    expect(stages).not.toContain('truncate')
    expect(messages[0]?.text).toContain('Replace every old text')
    for (const path of paths) for (const at of [1, 2, 3]) expect(shown).toContain(`new${at} in ${path}`)
    expect(shown).toContain('GREEN 7712')
  })
})

test('an answer that is only begun takes room, and is no part of what is compacted', async () => {
  const earlier = Array.from({ length: 3 }, (_, at): Message[] => [
    calls(call(`c${at}`, 'read_file', { path: `${at}.ts` })),
    result(`c${at}`, lines(1, 20)),
  ]).flat()
  const messages = [user('Tell me.'), ...earlier]
  const begun = [says('word '.repeat(1500))]

  const without = await createFit({ system })(input(messages))
  const fitted = await createFit({ system })(input(messages, { begun }))

  expect(without.compaction).toBeUndefined()
  expect(fitted.compaction?.before).toBeGreaterThan(2764)
  expect(fitted.messages).not.toContainEqual(begun[0])
})

describe('a server that reports no usage is never sent more than its window', () => {
  const hash = (seed: string): string => createHash('sha512').update(seed).digest('base64')
  const words = '我们需要在文件中修改函数的返回值并运行测试以确认结果是否正确数据库连接失败请检查配置'
  const pages: Record<string, (at: number) => string> = {
    Chinese: (at) =>
      Array.from({ length: 500 }, (_, index) => words[(index * 7 + at * 13) % words.length]).join(''),
    Japanese: (at) => `データベースへの接続に失敗しました。設定ファイル${at}を確認してください。`.repeat(18),
    Korean: (at) => `데이터베이스 연결에 실패했습니다. 설정 ${at}을 확인하고 다시 시도하십시오. `.repeat(18),
    base64: (at) => Array.from({ length: 10 }, (_, line) => hash(`${at}.${line}`)).join('\n'),
    'minified code': (at) =>
      Array.from(
        { length: 40 },
        (_, part) => `function a${at}(e,t){return(e=t[${part}])?Ht(e.x,!0,n):(r.push(e),void 0!==o&&u(t))}`,
      ).join(';'),
  }

  test.each(Object.keys(pages))('%s', async (name) => {
    const window = 8192
    const fit = createFit({ system })
    let messages: readonly Message[] = [user('Read them all.')]
    let compactions = 0
    for (let at = 1; at <= 40; at++) {
      const answer = result(`c${at}`, pages[name]?.(at) ?? '')
      const read = calls(call(`c${at}`, 'read_file', { path: `f${at}` }))
      const input = {
        messages: messages.concat(read, answer),
        tools,
        lease: leaseOf(window),
        force: false,
        resultsSinceCompaction: 1,
      }
      const fitted = await fit(input)
      messages = fitted.messages
      compactions += fitted.compaction ? 1 : 0

      const sent = encode(JSON.stringify([system, tools, messages])).length
      expect(sent).toBeLessThanOrEqual(window)
    }
    expect(compactions).toBeGreaterThan(0)
  })
})
