import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFrames, toFrame } from '../../../src/tools/interpreter/frames.ts'

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function collect(messages: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const message of messages) all.push(message)
  return all
}

test('what is sent is what arrives, however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue(), { maxLength: 8 }),
      fc.integer({ min: 1, max: 50 }),
      async (messages, size) => {
        const bytes = Buffer.concat(messages.map(toFrame))

        const read = await collect(readFrames(inPieces(bytes, size)))

        expect(read).toEqual(messages.map((message) => JSON.parse(JSON.stringify(message)) as unknown))
      },
    ),
  )
})

test('an unfinished message is dropped', async () => {
  const bytes = Buffer.concat([toFrame({ a: 1 }), toFrame({ b: 2 }).subarray(0, 7)])

  expect(await collect(readFrames(inPieces(bytes, 3)))).toEqual([{ a: 1 }])
})

test.each([
  ['too long', Buffer.from([0x7f, 0xff, 0xff, 0xff, 0x20])],
  ['no JSON', Buffer.from([0, 0, 0, 2, 0x7b, 0x7b])],
])('bytes that are no message are refused: %s', async (_, bytes) => {
  await expect(collect(readFrames(inPieces(bytes, 2)))).rejects.toMatchObject({ code: 'tool-failed' })
})
