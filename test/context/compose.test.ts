import { expect, test } from 'vitest'
import { budgetFor } from '../../src/context/budget.ts'
import { composePrompt, type ComposeInput } from '../../src/context/compose.ts'
import { estimateTokens } from '../../src/context/count.ts'
import { handleIn } from '../../src/context/cut.ts'

const log = Array.from({ length: 900 }, (_, at) => `entry ${at} of a pasted log`).join('\n')

const compose = (changes: Partial<ComposeInput>) => {
  const stored: [string, string][] = []
  const input: ComposeInput = {
    prompt: { text: 'What now?' },
    sections: [],
    execOutput: '',
    budget: budgetFor(4096),
    count: estimateTokens,
    vision: false,
    readBytes: () => Promise.resolve(undefined),
    store: (label, text) => {
      stored.push([label, text])
      return Promise.resolve({
        id: `r${stored.length}`,
        label,
        bytes: text.length,
        lines: text.split('\n').length,
      })
    },
    ...changes,
  }
  return composePrompt(input).then((composed) => ({ ...composed, stored }))
}

test('plain words stay plain words', async () => {
  expect(await compose({})).toEqual({
    message: { role: 'user', text: 'What now?' },
    warnings: [],
    stored: [],
  })
})

test('sources come first, then output, then the question', async () => {
  const sections = [
    { name: 'situation', text: '[2026-01-02]' },
    { name: 'memory', text: 'The user likes tabs.' },
  ]

  const { message } = await compose({ sections, execOutput: 'a.ts' })

  expect(message.text).toBe('[2026-01-02]\n\nThe user likes tabs.\n\n[exec output]\na.ts\n\nWhat now?')
})

test('words over their share are stored whole and folded', async () => {
  const { message, stored } = await compose({ prompt: { text: log } })

  expect(stored).toEqual([['user message', log]])
  expect(message.text).toMatch(
    /^entry 0 of[\s\S]*\n\[lines \d+-\d+ left out: read_result \{"id":"r1","from":\d+\}\]\n[\s\S]*entry 899 of a pasted log$/,
  )
  expect(estimateTokens(message.text)).toBeLessThanOrEqual(budgetFor(4096).prompt)
  expect(handleIn(message.text)).toBe('r1')
})

test('words are folded even where nothing may be stored', async () => {
  const { message } = await compose({ prompt: { text: log }, store: () => Promise.resolve(undefined) })

  expect(message.text).toMatch(/left out …\][\s\S]*entry 899 of a pasted log$/)
})

test('all that precedes the words stays within its share', async () => {
  const sections = [
    { name: 'situation', text: '[2026-01-02]' },
    { name: 'memory', text: log },
  ]

  const { message, stored } = await compose({ sections, execOutput: log })

  expect(stored).toEqual([['exec output', log]])
  expect(message.text).toMatch(/^\[2026-01-02\]\n\nentry 0 of/)
  expect(message.text).toMatch(/\[\d+ tokens of memory left out\]\n\n\[exec output\]\nentry 0 of/)
  expect(message.text).toMatch(/left out: read_result \{"id":"r1","from":\d+\}\]\n[\s\S]*\n\nWhat now\?$/)
  expect(estimateTokens(message.text)).toBeLessThanOrEqual(budgetFor(4096).preceding + 20)
})

test('images join the ones that came with the prompt; what stays text is reported', async () => {
  const given = { mediaType: 'image/png', base64: 'AAAA' }
  const gif = Buffer.from('GIF89a!')

  const { message, warnings } = await compose({
    prompt: { text: 'Compare [Image: b.gif] and [Image: c.gif]', images: [given] },
    vision: true,
    readBytes: (path) => Promise.resolve(path === 'b.gif' ? gif : undefined),
  })

  expect(message.images).toEqual([
    given,
    { mediaType: 'image/gif', base64: gif.toString('base64'), path: 'b.gif' },
  ])
  expect(warnings).toEqual(['c.gif is sent as text: it cannot be read.'])
})
