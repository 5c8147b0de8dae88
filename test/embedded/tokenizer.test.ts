/** From tokens to text, with the bundled model's vocabulary: a GPT-2 one, as many models have it. */
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { loadEngine } from '../../src/embedded/llama.ts'
import { createTokenizer } from '../../src/embedded/tokenizer.ts'

const path = fileURLToPath(new URL('../../models/covey-nano.gguf', import.meta.url))
const { llama } = await loadEngine()
const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 })
const tokenizer = createTokenizer(model, '')
afterAll(() => model.dispose())

test.each([
  ['a space before a full stop', 'git add . && ls .'],
  ['spaces before other punctuation', "wait ! what ? one , two it 's it 'm we 're a ' b"],
  ['a ternary', 'const a = b ? c : d ;'],
  ['characters of several tokens', 'ünïcödé 🐑 . 日本語 ?'],
  ['white space', '  two\n\n\tand a tab .\r\n'],
])('text comes back letter by letter: %s', (_what, text) => {
  const decoder = tokenizer.decoder()

  const pieces = tokenizer.encode({ text, control: false }, true).map((token) => decoder.push(token))

  expect(pieces.join('') + decoder.end()).toBe(text)
})

test('half a character is held back until the rest comes', () => {
  const decoder = tokenizer.decoder()
  const tokens = tokenizer.encode({ text: '🐑', control: false }, true)

  const pieces = tokens.map((token) => decoder.push(token))

  expect(tokens.length).toBeGreaterThan(1)
  expect(pieces).toEqual([...tokens.slice(1).map(() => ''), '🐑'])
})

test('control tokens of the reply are shown as they are written', () => {
  const decoder = tokenizer.decoder()
  const [token] = tokenizer.encode({ text: '<|im_end|>', control: true }, true)

  expect(token === undefined ? '' : decoder.push(token)).toBe('<|im_end|>')
})
