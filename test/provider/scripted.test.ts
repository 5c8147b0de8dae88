import { expect, test } from 'vitest'
import { AppError } from '../../src/protocol/error.ts'
import {
  calls,
  createScriptedModel,
  fails,
  finish,
  says,
  scriptedModel,
  thinks,
} from '../../src/provider/scripted.ts'
import { ask, askInVain, joined, request } from './ask.ts'

test('each request gets the next reply, and ids count over the whole script', async () => {
  const model = scriptedModel(
    [thinks('Hm.'), says('Both.'), calls('read_file', { path: 'a' }), calls('read_file', '{broken')],
    [calls('list_files')],
  )

  const first = await ask(model)
  const second = await ask(model, request({ turn: 2 }))

  expect(first).toEqual([
    { type: 'reasoning-delta', text: 'Hm.' },
    { type: 'text-delta', text: 'Both.' },
    { type: 'tool-call', call: { id: 'call-1', name: 'read_file', input: '{"path":"a"}' } },
    { type: 'tool-call', call: { id: 'call-2', name: 'read_file', input: '{broken' } },
    { type: 'finish', reason: 'tool-calls' },
  ])
  expect(second[0]).toEqual({ type: 'tool-call', call: { id: 'call-3', name: 'list_files', input: '{}' } })
  expect(model.asked).toEqual([request(), request({ turn: 2 })])
})

test('text comes in small pieces', async () => {
  const events = await ask(scriptedModel([says('A sentence of some length 🐑.')]))

  expect(events.length).toBeGreaterThan(3)
  expect(joined(events)).toEqual([
    { type: 'text-delta', text: 'A sentence of some length 🐑.' },
    { type: 'finish', reason: 'stop' },
  ])
})

test('a reply may end for another reason, or fail half way', async () => {
  const model = scriptedModel(
    [says('cut'), finish('length')],
    [says('half'), fails(new AppError('model-unavailable', 'gone'))],
  )

  const cut = await ask(model)
  const broken = await askInVain(model)

  expect(cut.at(-1)).toEqual({ type: 'finish', reason: 'length' })
  expect(broken).toMatchObject({ events: [says('half')], code: 'model-unavailable', message: 'gone' })
})

test('a reply may depend on the request', async () => {
  const model = scriptedModel((asked) => [says(`${asked.messages.length} message`)])

  expect(joined(await ask(model))[0]).toEqual(says('1 message'))
})

test('a request beyond the script says so', async () => {
  const model = scriptedModel([says('only one')])
  await ask(model)

  const failure = await askInVain(model)

  expect(failure).toMatchObject({
    code: 'request-invalid',
    message: 'The script has 1 reply, this is request 2. Add a reply to it.',
  })
})

test('the last reply may be repeated', async () => {
  const model = createScriptedModel([[says('a')], [says('b')]], { repeatLast: true, name: 'loop' })

  const texts = []
  for (let turn = 0; turn < 4; turn++) texts.push((await ask(model))[0])

  expect(texts).toEqual([says('a'), says('b'), says('b'), says('b')])
})

test('a cancelled reply ends without a finish', async () => {
  const cancel = new AbortController()

  const events = []
  for await (const event of scriptedModel([says('a longer sentence')]).stream(request(), cancel.signal)) {
    events.push(event)
    cancel.abort()
  }

  expect(events).toEqual([says('a longer sen')])
})
