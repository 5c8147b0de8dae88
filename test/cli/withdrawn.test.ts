/**
 * What of a reply reaches stdout: a pipe gets a reply once it is accepted, a terminal sees it come and be withdrawn.
 */
import { expect, test } from 'vitest'
import { createPrinter } from '../../src/cli/print.ts'
import type { SessionEvent } from '../../src/protocol/event.ts'
import { calls, scriptedModel } from '../../src/provider/scripted.ts'
import { tempProject } from '../support/project.ts'
import { endOf, ofType, run } from '../support/run.ts'

const greeting = 'Hello! How can I help you today? '.repeat(12)
const events = [
  { type: 'text-delta', text: greeting },
  { type: 'correction', detector: 'greeting', remedy: 'other sampling', text: '' },
  { type: 'reply-restart', why: 'greeting' },
  { type: 'turn-end', turn: 1, messages: [] },
  { type: 'text-delta', text: 'The port is ' },
  { type: 'usage', usage: { prompt: 1, completion: 1 }, window: 8192 },
  { type: 'text-delta', text: '8080.' },
  { type: 'turn-end', turn: 2, messages: [] },
].map((event, id) => ({ ...event, id })) as readonly SessionEvent[]

function printed(live: boolean): { out: string; err: string } {
  const shown = { out: '', err: '' }
  const io = {
    out: (text: string) => void (shown.out += text),
    err: (text: string) => void (shown.err += text),
  }
  const print = createPrinter(io, { json: false, verbose: true, colour: false, live })
  for (const event of events) print(event)
  return shown
}

test('a pipe gets accepted replies only', () => {
  expect(printed(false).out).toBe('The port is 8080.\n')
})

test('a terminal shows that text was withdrawn', () => {
  const { out, err } = printed(true)

  expect(out).toContain(greeting)
  expect(err).toContain('withdrawn, asked again: greeting')
})

const looks = (at: number) => [calls('run_command', { command: `echo ${at}; test ${at} -lt 9` })]

test('three turns before the limit the model gets a note, and the limit leaves a report', async () => {
  const model = scriptedModel(...[1, 2, 3, 4, 5].map(looks))

  const all = await run(model, await tempProject({}), { promptOptions: { maxTurns: 5 }, window: 8192 })

  const notes = ofType(all, 'tool-end').length
  const told = model.asked.map(({ messages }) => messages.at(-1)?.text.includes('[note] 3 turns are left.'))
  expect(notes).toBe(5)
  expect(told).toEqual([false, false, true, false, false])
  expect(endOf(all)).toMatchObject({
    reason: 'max-turns',
    report:
      'Stopped after 5 turns, the limit, before the model gave an answer. Last command: `echo 5; test 5 -lt 9`, ' +
      'succeeded. Ask it to go on, or allow more with --max-turns.',
  })
  const shown: string[] = []
  const print = createPrinter(
    { out: (text) => void shown.push(text), err: () => {} },
    { json: false, verbose: false, colour: false, live: false },
  )
  print({ ...endOf(all), id: 1 })
  expect(shown.join('')).toMatch(/^Stopped after 5 turns, the limit/)
})
