/** Results that are too long for one page, in a window of 8,192: what is left out is named by the call that shows it. */
import { expect, test } from 'vitest'
import { calls, says, scriptedModel, type ScriptedReply } from '../../src/provider/scripted.ts'
import { tempProject } from '../support/project.ts'
import { run } from '../support/run.ts'

const prints = (lines: number): ScriptedReply => [
  calls('run_command', { command: `for i in $(seq 1 ${lines}); do echo "line $i of the long log"; done` }),
]

/** The result of each call, as the next request shows it. */
async function resultsOf(...replies: readonly ScriptedReply[]): Promise<readonly string[]> {
  const model = scriptedModel(...replies, [says('That is what it printed.')])
  await run(model, await tempProject({ 'a.js': 'x\n' }), { window: 8192, prompt: 'What does it print?' })
  return (model.asked.at(-1)?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? [message.text] : [],
  )
}

test('what is left out is named with the call that shows it, and that call works without being listed', async () => {
  const [folded = ''] = await resultsOf(prints(600))
  const [, from, to, id, next] =
    /\n\[lines (\d+)-(\d+) left out: read_result \{"id":"(r\d+)","from":(\d+)\}\]\n/.exec(folded) ?? []

  const [, page = ''] = await resultsOf(prints(600), [
    calls('read_result', { id: id ?? '', from: Number(next) }),
  ])

  expect(next).toBe(from)
  expect(folded).toContain(`line ${Number(from) - 1} of the long log\n[lines`)
  expect(folded).toContain(`]\nline ${Number(to) + 1} of the long log`)
  expect(page).toMatch(new RegExp(`^line ${from} of the long log\n`))
})

test.each([
  ['read_result', { id: 'r1', pattern: 'line 3[0-2]0 ' }],
  ['search_text', { path: 'r1', pattern: 'line 3[0-2]0 ' }],
  ['search_text', { id: 'r1', pattern: 'line 3[0-2]0 ' }],
])('%s %j searches a stored result', async (name, input) => {
  const [, found] = await resultsOf(prints(600), [calls(name, input)])

  expect(found).toBe(
    '300: line 300 of the long log\n310: line 310 of the long log\n320: line 320 of the long log',
  )
})

test('a pattern that is nowhere in a result is said with what was searched', async () => {
  const [, found] = await resultsOf(prints(600), [calls('read_result', { id: 'r1', pattern: 'nothing(' })])

  expect(found).toBe('No matches for "nothing(" in r1 (600 lines).')
})

test.each([
  ['(l+i*)+$', 'No matches for "(l+i*)+$" in r1 (600 lines).'],
  [
    '(?=x)line',
    'look-ahead and look-behind take more than linear time. Use a simpler pattern or plain text.',
  ],
])('the pattern %s ends, whatever the text', async (pattern, expected) => {
  const long = [
    calls('run_command', { command: `for i in $(seq 1 600); do echo "${'l'.repeat(60)} $i!"; done` }),
  ]

  const [, found] = await resultsOf(long, [calls('read_result', { id: 'r1', pattern })])

  expect(found).toContain(expected)
})

test('a text that is a little longer than a page is shown whole', async () => {
  const sizes = await Promise.all(
    [150, 160, 170, 180, 190, 200, 220, 240].map((lines) => resultsOf(prints(lines))),
  )
  const leftOut = sizes.flatMap(([text = '']) => {
    const [, from, to] = /\[lines (\d+)-(\d+) left out/.exec(text) ?? []
    return from === undefined ? [] : [Number(to) - Number(from) + 1]
  })

  expect(leftOut.length).toBeGreaterThan(0)
  expect(Math.min(...leftOut)).toBeGreaterThan(15)
})

test.each([
  [
    'read_file',
    { path: 'a.js', encoding: 'utf8', line_numbers: true },
    '[ignored: encoding, line_numbers; read_file takes path, from, to]\n1\tx',
  ],
  [
    'search_text',
    { pattern: 'x', context: 3 },
    '[ignored: context; search_text takes pattern, path]\na.js:1: x',
  ],
  ['list_files', { path: '.', depth: 2 }, expect.stringMatching(/^\[ignored: depth; list_files takes path/)],
  ['read_file', { path: 'a.js', to: null }, '1\tx'],
])('what %s %j does not know is said', async (name, input, text) => {
  expect(await resultsOf([calls(name, input)])).toEqual([text])
})
