/** Control tokens end a reply where they stand at its end or alone; inside text they are what it is about. */
import { describe, expect, test } from 'vitest'
import { withoutSpecialTokens, withoutTokenAtEnd } from '../../../src/engine/detectors/special-tokens.ts'

describe('cut off', () => {
  test.each([
    ['It says hello.<|im_end|>', 'It says hello.'],
    ['It says hello.</s>', 'It says hello.'],
    ['It says hello. <|eot_id|>\n', 'It says hello.'],
    ['It says hello.[/INST]', 'It says hello.'],
    ['It says hello.<end_of_turn>\n<|endoftext|>', 'It says hello.'],
    ['It says hello.<｜end▁of▁sentence｜>', 'It says hello.'],
    ['It says hello.\n<|im_end|>\n<|im_start|>user\nthanks', 'It says hello.'],
    ['<|im_end|>', ''],
  ])('%j', (text, kept) => {
    expect(withoutSpecialTokens(text)).toBe(kept)
  })
})

describe('kept', () => {
  test.each([
    'The template ends each turn with `<|im_end|>`',
    'The token <|im_end|> ends a turn.',
    '```\n{{ message }}\n<|im_end|>\n```\nThat is the template.',
    'Use `[/INST]` at the end',
    'a < b and b > c',
    'No tokens at all.',
  ])('%j', (text) => {
    expect(withoutSpecialTokens(text)).toBe(text)
  })
})

test('names and arguments lose them at their end only', () => {
  expect(withoutTokenAtEnd('read_file<|im_end|>')).toBe('read_file')
  expect(withoutTokenAtEnd('{"path":"a.txt"}</s>')).toBe('{"path":"a.txt"}')
  expect(withoutTokenAtEnd('{"content":"x<|im_end|>\\n"}')).toBe('{"content":"x<|im_end|>\\n"}')
})
