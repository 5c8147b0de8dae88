import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { guardEvents, readText, toEventStream } from '../../src/provider/body.ts'

async function guarded(chunks: readonly Uint8Array[]): Promise<string> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  return readText(source.pipeThrough(guardEvents((reason) => new Error(reason))))
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const NO_REASON = 'data: {"choices":[{"delta":{},"finish_reason":"unknown"}]}\n\n'

test('a stream passes unchanged, however it is cut into chunks', async () => {
  const text = 'data: {"a":"Größe 🐑"}\r\n\r\n: ping\n\ndata: {"finish_reason": "stop"}\n\ndata: [DONE]\n'
  const whole = bytes(text)

  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: whole.length }), { maxLength: 12 }), async (cuts) => {
      const edges = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
      const chunks = edges.slice(1).map((end, index) => whole.slice(edges[index], end))

      expect(await guarded(chunks)).toBe(text)
    }),
  )
})

test('[DONE] without a finish reason gets one before it', async () => {
  const quoting = 'data: {"content":"\\"finish_reason\\": \\"stop\\""}\n\n'

  expect(await guarded([bytes(`${quoting}data: [DONE]\n\n`)])).toBe(`${quoting}${NO_REASON}data: [DONE]\n`)
})

test('a stream without [DONE] gets none: it was cut', async () => {
  expect(await guarded([bytes('data: {"content":"hal')])).toBe('data: {"content":"hal')
})

test('an event of many lines that never ends is refused too', async () => {
  const lines = Array.from({ length: 33 }, () => bytes(`data: ${'x'.repeat(512 * 1024)}\n`))

  await expect(guarded(lines)).rejects.toThrow('one event is longer than 16 MiB')
})

test('many events of any size in all are fine', async () => {
  const events = Array.from({ length: 33 }, () => bytes(`data: ${'x'.repeat(512 * 1024)}\n\n`))

  // Only as much as `readText` takes comes back; nothing is refused.
  await expect(guarded(events)).resolves.toContain('data: x')
})

test('what is no completion stays recognisable as what it is', () => {
  expect(toEventStream('{"error": {"message": "no"}}')).toBe('data: {"error": {"message": "no"}}\n\n')
  expect(toEventStream('not\njson')).toBe('data: not json\n\n')
})
