/**
 * What a model server sends back, made safe for the stream parser behind it. Servers do three things that parser does
 * not survive: an event that never ends, `[DONE]` without a finish reason, one JSON object where a stream was asked for.
 */
import { isObject } from '../lib/json.ts'

const MAX_EVENT_BYTES = 16 * 1024 * 1024
const LF = 10

/** Matches only at the level of JSON: inside a string the quotes would be escaped. */
const FINISH_REASON = /"finish_reason"\s*:\s*"/
const NO_REASON = Buffer.from('data: {"choices":[{"delta":{},"finish_reason":"unknown"}]}\n\n')

/**
 * Passes server-sent events on, line by line. `[DONE]` ends the body, whether or not the server closes the connection,
 * and gets a finish reason before it where the server gave none, because a stream without one counts as cut.
 */
export function guardEvents(fail: (reason: string) => Error): TransformStream<Uint8Array, Uint8Array> {
  const held: Uint8Array[] = []
  let eventBytes = 0
  let finished = false

  const pass = (line: Buffer, controller: TransformStreamDefaultController<Uint8Array>): boolean => {
    const text = line.toString('latin1').trimEnd()
    finished ||= FINISH_REASON.test(text)
    const done = /^data:\s*\[DONE\]$/.test(text)
    if (done && !finished) controller.enqueue(NO_REASON)
    controller.enqueue(line)
    if (text === '') eventBytes = 0
    return done
  }

  return new TransformStream({
    transform(chunk, controller) {
      let start = 0
      for (let end = chunk.indexOf(LF) + 1; end > 0; end = chunk.indexOf(LF, start) + 1) {
        const line = Buffer.concat([...held.splice(0), chunk.subarray(start, end)])
        eventBytes += end - start
        start = end
        if (pass(line, controller)) return controller.terminate()
      }
      held.push(chunk.subarray(start))
      eventBytes += chunk.length - start
      if (eventBytes > MAX_EVENT_BYTES) controller.error(fail('one event is longer than 16 MiB'))
    },
    flush(controller) {
      if (held.length > 0) controller.enqueue(Buffer.concat(held))
    },
  })
}

/** A whole chat completion, as a server sends it that does not stream, in the shape of a stream. */
export function toEventStream(body: string): string {
  const completion = parsed(body)
  const choices = isObject(completion) && Array.isArray(completion['choices']) ? completion['choices'] : []
  const first: unknown = choices[0]
  if (!isObject(completion) || !isObject(first)) return `data: ${body.replace(/\s+/g, ' ')}\n\n`
  const choice = { index: 0, delta: first['message'], finish_reason: first['finish_reason'] ?? null }
  return `data: ${JSON.stringify({ ...completion, choices: [choice] })}\n\ndata: [DONE]\n\n`
}

/** The first bytes of a body: enough for any completion or error message, never more than memory can take. */
export async function readText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_EVENT_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
