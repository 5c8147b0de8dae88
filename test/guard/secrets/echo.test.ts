import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { createFirewall } from '../../../src/guard/secrets/firewall.ts'
import type { ModelEvent, ModelRequest } from '../../../src/protocol/model.ts'
import { createScriptedModel, says } from '../../../src/provider/scripted.ts'
import { tempProject } from '../../support/project.ts'
import { runs } from '../../support/runs.ts'

const KEY = `AKIA${'Q3EGFZ7KXW2NLRTB'}`
const QUOTED = 'hunter2-"Tr0ub4dor'
const root = await tempProject()

const request = (text: string): ModelRequest => ({
  runId: 'r',
  sessionId: 's',
  turn: 1,
  system: '',
  messages: [{ role: 'user', text }],
  tools: [],
})

async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

const textOf = (events: readonly ModelEvent[]): string =>
  events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')

const placeholdersOf = (text: string): readonly string[] => text.match(/\[secret:[^\]]+\]/g) ?? []

test('the model sees placeholders, the one who asked gets their own values back, in text and in calls', async () => {
  const { echo } = createFirewall({ files: createFiles({ root }) })
  const model = createScriptedModel([
    ({ messages }) => {
      const [key = '', password = ''] = placeholdersOf(messages[0]?.text ?? '')
      const input = JSON.stringify({ command: `deploy ${key} '${password}'` })
      return [
        says(`Using ${key.slice(0, 9)}`),
        says(`${key.slice(9)} now.`),
        { type: 'tool-call', call: { id: '1', name: 'bash', input } },
      ]
    },
  ])

  const events = await collect(
    echo(model).stream(
      request(`key ${KEY}, password="${QUOTED.replace('"', '\\"')}"`),
      AbortSignal.timeout(5000),
    ),
  )

  const call = events.find((event) => event.type === 'tool-call')
  expect(JSON.stringify(model.asked)).not.toContain(KEY)
  expect(textOf(events)).toBe(`Using ${KEY} now.`)
  expect(call?.type === 'tool-call' && JSON.parse(call.call.input)).toMatchObject({
    command: expect.stringContaining(`deploy ${KEY} `),
  })
})

test('any cut of a reply gives the same text', async () => {
  const { echo, outgoing } = createFirewall({ files: createFiles({ root }) })
  const shown = await outgoing(`a ${KEY} b`)
  const [placeholder = ''] = placeholdersOf(shown)
  const whole = `x [ [secret ${placeholder}${placeholder} [secret:other:aaa1:1] [s`

  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 20 }), { minLength: 1 }), async (lengths) => {
      const pieces: string[] = []
      for (let at = 0, turn = 0; at < whole.length; turn++) {
        const length = (lengths[turn % lengths.length] ?? 0) + 1
        pieces.push(whole.slice(at, at + length))
        at += length
      }
      const model = createScriptedModel([pieces.map((piece) => says(piece))])

      const events = await collect(echo(model).stream(request('hello'), AbortSignal.timeout(5000)))

      expect(textOf(events)).toBe(whole.replaceAll(placeholder, KEY))
    }),
    { numRuns: runs(50, 200) },
  )
})

test('what another client sent is never given out', async () => {
  const one = createFirewall({ files: createFiles({ root }) })
  const [placeholder = ''] = placeholdersOf(await one.outgoing(KEY))
  const other = createFirewall({ files: createFiles({ root }) })
  const model = createScriptedModel([[says(`It is ${placeholder}.`)]])

  const events = await collect(other.echo(model).stream(request('the key?'), AbortSignal.timeout(5000)))

  expect(textOf(events)).toBe(`It is ${placeholder}.`)
})
