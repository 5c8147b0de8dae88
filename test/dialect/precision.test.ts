import { expect, it } from 'vitest'
import { characters, read, readCases } from './support.ts'

const replies = readCases('precision.jsonl').map(({ reply }) => reply)
const models = [
  undefined,
  'Hermes-3',
  'Qwen3-Coder',
  'Llama-3.1-8B',
  'Llama-4-Scout',
  'gpt-oss-20b',
  'gemma-3',
  'DeepSeek-R1',
]

it('has at least four hundred replies that quote, document or discuss calls', () => {
  expect(replies.length).toBeGreaterThanOrEqual(400)
})

it.each(replies)('runs nothing in %j', (reply) => {
  for (const model of models) {
    const events = [reply, characters(reply)].flatMap((given) =>
      read(given, model === undefined ? {} : { model }),
    )

    const types = new Set(events.map(({ type }) => type))
    expect([...types].filter((type) => type === 'tool-call' || type === 'bad-call')).toEqual([])
  }
})
