/** Servers that refuse the shape of a request: asked again in another, and from then on in that one. */
import { expect, test } from 'vitest'
import type { EmissionMode } from '../../src/protocol/arm.ts'
import { AppError } from '../../src/protocol/error.ts'
import type { Model, ModelRequest } from '../../src/protocol/model.ts'
import { createAdaptingModel, plainSchema } from '../../src/provider/adapting-model.ts'
import { capabilitiesOf, createArmModels } from '../../src/provider/arm-models.ts'
import type { Findings } from '../../src/provider/probe/findings.ts'
import { startVllm } from '../support/model-server/vllm.ts'
import { ask, askInVain, request } from './ask.ts'
import { settingsFor } from './probing.ts'

/** Refuses with this text until it is asked in a shape that `accepts` likes. */
function refusing(text: string, accepts: (emission: EmissionMode, request: ModelRequest) => boolean) {
  const asked: EmissionMode[] = []
  const make = (emission: EmissionMode): Model => ({
    name: 'test-arm',
    async *stream(given) {
      asked.push(emission)
      if (!accepts(emission, given)) throw new AppError('request-invalid', text, { status: 400 })
      yield { type: 'finish', reason: 'stop' }
    },
  })
  const shape = { emission: { base: 'tool-role' as const }, plainSchemas: false }
  return { asked, model: createAdaptingModel({ name: 'test-arm', shape, make }) }
}

test.each<[string, (emission: EmissionMode) => boolean]>([
  ['Conversation roles must alternate user/assistant/user/assistant/...', ({ strict }) => strict === true],
  ['After the optional system message, conversation roles must alternate', ({ strict }) => strict === true],
  ['System role not supported', ({ noSystem }) => noSystem === true],
  ['System messages are not supported by this model', ({ noSystem }) => noSystem === true],
  ['Only user and assistant roles are supported!', ({ base }) => base === 'user-results'],
  ['Only user and assistant roles are supported!', ({ noSystem }) => noSystem === true],
  ['Unexpected role: tool', ({ base }) => base === 'user-results'],
])('"%s" is answered by another shape', async (text, accepts) => {
  const { model, asked } = refusing(text, accepts)

  await ask(model)
  const tries = asked.length
  await ask(model)

  expect(asked).toHaveLength(tries + 1)
})

test('a schema that is refused is sent in a plainer form', async () => {
  const tools = [
    {
      name: 'find',
      parameters: { type: 'object', properties: { word: { type: 'string', pattern: '^a$' } } },
    },
  ]
  const { model } = refusing(
    'failed to parse grammar',
    (_emission, given) => !JSON.stringify(given).includes('^a$'),
  )

  const events = await ask(model, request({ tools }))

  expect(events).toEqual([{ type: 'finish', reason: 'stop' }])
})

test('what a refusal has shown is reported once, for the next start', async () => {
  const server = await startVllm({ template: 'noSystem' })
  const settings = settingsFor(server.url)
  const told: Findings[] = []
  const before = capabilitiesOf(settings, undefined)
  const { native } = await createArmModels(settings, before, {
    prefillSpeed: () => undefined,
    onFound: (findings) => told.push(findings),
  })

  await ask(native)
  await ask(native)

  expect(told).toEqual([{ systemRole: { value: false, from: 'a refusal' } }])
  expect(capabilitiesOf(settings, { findings: told[0] ?? {}, warnings: [] }).emission).toEqual({
    base: 'tool-role',
    noSystem: true,
  })
})

test('any other refusal is passed on at once', async () => {
  const { model, asked } = refusing('no such model', () => false)

  const failure = await askInVain(model)

  expect(failure).toMatchObject({ code: 'request-invalid', message: 'no such model' })
  expect(asked).toHaveLength(1)
})

test('a refusal that no shape helps against ends', async () => {
  const { model, asked } = refusing('roles must alternate', () => false)

  await askInVain(model)

  expect(asked).toHaveLength(2)
})

test('a plain schema keeps everything but what servers stumble over', () => {
  const schema = {
    type: 'object',
    required: ['pattern'],
    properties: {
      pattern: { type: 'string', format: 'regex', maxLength: 100, description: 'What to find' },
      items: { type: 'array', items: { type: 'string', pattern: '^a$' } },
    },
  }

  expect(plainSchema(schema)).toEqual({
    type: 'object',
    required: ['pattern'],
    properties: {
      pattern: { type: 'string', description: 'What to find' },
      items: { type: 'array', items: { type: 'string' } },
    },
  })
})
