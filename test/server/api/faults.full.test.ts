/** Every way in which an upstream can break, heard through every API: an error or a whole answer, never a silent end. */
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../support/model-server/reply.ts'
import { startArmApi } from './arm-host.ts'
import { readEvents } from './host.ts'

const faults: readonly Fault[] = [
  'reset',
  'end-early',
  'cut-mid-json',
  'cut-mid-utf8',
  'garbage',
  'error-in-stream',
]

const messages = [{ role: 'user', content: 'Tell.' }]

/** A request, and whether the data of its last event says that all is well. */
const apis: readonly [path: string, body: object, isGood: (last: string) => boolean][] = [
  ['/v1/chat/completions', { messages }, (last) => last === '[DONE]'],
  ['/v1/completions', { prompt: 'Tell.' }, (last) => last === '[DONE]'],
  ['/v1/responses', { input: 'Tell.' }, (last) => last.includes('"type":"response.completed"')],
  ['/v1/messages', { messages, max_tokens: 100 }, (last) => last.includes('message_stop')],
]

describe.each(faults)('an upstream with the fault %s', (fault) => {
  const good = { text: 'All of it.' }

  test.each(apis)('is an error or a whole answer in a stream of %s', async (path, body, isGood) => {
    const { host } = await startArmApi([{ text: 'Half of a long answer', fault }, good], { repeatLast: true })

    const response = await host.post(path, { model: 'small', ...body, stream: true })

    const last = (await readEvents(response)).at(-1)?.data ?? ''
    const isError = /"error"/.test(last)
    expect(isError !== isGood(last), last).toBe(true)
  })

  test.each(apis)('is asked again where %s waits for all of the answer', async (path, body) => {
    const { host } = await startArmApi([{ text: 'Half of a long answer', fault }, good], { repeatLast: true })

    const response = await host.post(path, { model: 'small', ...body })

    expect(response.status).toBe(200)
    expect(await response.text()).toContain('All of it.')
  })

  test.each(apis)('that stays so is an error to %s', async (path, body) => {
    const { host } = await startArmApi([{ text: 'Half of a long answer', fault }], { repeatLast: true })

    const response = await host.post(path, { model: 'small', ...body })

    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(await response.json()).toHaveProperty('error')
  })
})
