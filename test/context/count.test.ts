import { readdirSync, readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import {
  createTokenCounter,
  estimateTokens,
  fixedTokens,
  messagesTokens,
  messageTokens,
} from '../../src/context/count.ts'
import { call, calls, result, says, user } from './conversation.ts'
import { runs } from '../support/runs.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const sources = readdirSync(new URL('src/context/', root)).map((name) => read(`src/context/${name}`))

const samples: Record<string, string> = {
  'TypeScript source': sources.join('\n'),
  'source in JSON': sources.map((content) => JSON.stringify({ path: 'a.ts', content })).join('\n'),
  'source in JSON in JSON': sources.map((content) => JSON.stringify(JSON.stringify({ content }))).join('\n'),
  'a lock file': read('package-lock.json').slice(0, 60_000),
  'tool schemas': JSON.stringify({
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
  }),
  'legal prose': read('LICENSE'),
  'a log': Array.from(
    { length: 300 },
    (_, at) => `2026-01-02T12:${at % 60}:00Z [info] pid=${at * 31} ok`,
  ).join('\n'),
  'a listing': Array.from(
    { length: 200 },
    (_, at) => `-rw-r--r-- 1 root root ${at * 331} some-file_${at}.ts`,
  ).join('\n'),
  German:
    'Kleine Modelle müssen Dateien lesen, Fehler beheben und Prüfungen ausführen, ohne Tatsachen zu verlieren. ',
  Chinese: '小型本地模型在上下文窗口只有四千个标记时仍然需要完成编程任务。每次变化都会让缓存失效。',
  Japanese:
    '小さなローカルモデルでも、コードの修正やテストの実行ができるように、会話の内容を短くまとめます。',
  Korean: '작은 로컬 모델이 코드를 읽고 수정하고 테스트를 실행할 수 있도록 대화를 짧게 요약합니다.',
  emoji: '🙂🚀✅❌🎉🔥'.repeat(10),
}

describe('the estimate', () => {
  test.each(Object.entries(samples))(
    'is close to a real tokenizer for %s, and rather above it',
    (_name, text) => {
      const ratio = estimateTokens(text) / countTokens(text)

      expect(ratio).toBeGreaterThan(0.93)
      expect(ratio).toBeLessThan(1.45)
    },
  )

  test('is close for every source file of this folder on its own', () => {
    const ratios = sources.map((text) => estimateTokens(text) / countTokens(text))

    expect(Math.min(...ratios)).toBeGreaterThan(0.95)
    expect(Math.max(...ratios)).toBeLessThan(1.3)
  })

  test('is never below a quarter of the characters and grows with the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (first, second) => {
        const [part, whole] = [estimateTokens(first), estimateTokens(first + second)]
        return part >= first.length / 4 && whole >= Math.floor(part * 0.9) - 1 && Number.isInteger(part)
      }),
      { numRuns: runs(400, 5_000) },
    )
    expect(estimateTokens('')).toBe(0)
  })
})

describe('a counter', () => {
  const text = 'const a = 1\n'.repeat(200)
  const raw = estimateTokens(text)

  test('uses the tokenizer it is given', () => {
    expect(createTokenCounter({ exact: (given) => given.length }).count('abc')).toBe(3)
  })

  test('is corrected by what the server reports', () => {
    const counter = createTokenCounter()

    counter.observe(counter.count(text), Math.round(raw * 1.3))

    expect(counter.count(text) / raw).toBeCloseTo(1.3, 1)
    counter.observe(counter.count(text), Math.round(raw * 1.3))
    expect(counter.count(text) / raw).toBeCloseTo(1.3, 1)
  })

  test('is exact where the arm itself counted: with its tokenizer, or on its server', () => {
    const counter = createTokenCounter()

    expect(createTokenCounter({ exact: (given) => given.length }).isExact()).toBe(true)
    expect(counter.isExact()).toBe(false)
    counter.observe(1000, 100)
    expect(counter.isExact()).toBe(false)
    counter.observe(1000, 1100)
    expect(counter.isExact()).toBe(true)
  })

  test('never corrects by more than the double', () => {
    const counter = createTokenCounter()

    counter.observe(1000, 3500)

    expect(counter.count(text)).toBe(raw * 2)
  })

  test.each([
    ['a small report, which is mostly template', [[200, 150]]],
    [
      'a server that always reports 100',
      [
        [180, 100],
        [900, 100],
        [2000, 100],
      ],
    ],
    [
      'a server that always reports 1,200',
      [
        [4000, 1200],
        [1300, 1200],
        [2400, 1200],
      ],
    ],
    ['a prompt the server cut', [[6000, 2048]]],
    ['a server that counts something else', [[1000, 9000]]],
  ])('does not learn from %s', (_name, reports) => {
    const counter = createTokenCounter()

    for (const [counted = 0, reported = 0] of reports) counter.observe(counted, reported)

    expect(counter.count(text)).toBe(raw)
  })
})

describe('a message takes', () => {
  const view = { count: (text: string) => text.length }

  test('its text, its calls and a little for the template around them', () => {
    expect(messageTokens(user('12345'), view)).toBe(10)
    expect(messageTokens(result('c1', '12345'), view)).toBe(10)
    expect(messageTokens(calls(call('c1', 'read', {}), call('c2', 'read', {})), view)).toBe(
      5 + 2 * (10 + 4 + 2),
    )
    expect(messageTokens(user('12345', { images: [{ mediaType: 'image/png', base64: '' }] }), view)).toBe(810)
  })

  test('its reasoning only where the model is shown it again', () => {
    const thought = { ...says('12345'), reasoning: '123' }

    expect(messagesTokens([thought, thought], view)).toBe(20)
    expect(messagesTokens([thought, thought], { ...view, reasoning: 'keep' })).toBe(26)
  })
})

test('the fixed part is the system text and the tools', () => {
  const tools = [{ name: 'f', parameters: {} }]

  expect(fixedTokens('12345', [], (text) => text.length)).toBe(10)
  expect(fixedTokens('12345', tools, (text) => text.length)).toBe(10 + JSON.stringify(tools).length)
})
