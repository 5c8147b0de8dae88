/**
 * A model that works at tasks of two parts and sees nothing but its own window: each part appends one line to log.txt.
 * After a call that was interrupted it looks before it writes again, as the prompt asks it to. What it does depends on
 * the request alone, so it can be killed and started anew.
 */
import type { Message } from '../../src/protocol/message.ts'
import type { Model, ModelEvent, ModelRequest } from '../../src/protocol/model.ts'
import { calls, says } from '../../src/provider/scripted.ts'

export const carefulModel = (onAsked: (request: ModelRequest) => void = () => {}): Model => ({
  name: 'careful',
  async *stream(request, signal) {
    onAsked(request)
    for (const event of reply(request.messages)) {
      await new Promise((resolve) => setImmediate(resolve))
      if (signal.aborted) return
      yield event
    }
  },
})

let count = 0

function reply(messages: readonly Message[]): ModelEvent[] {
  const prompt = messages.find(({ role, text }) => role === 'user' && /^Task \d+:/m.test(text))?.text ?? ''
  const [, task = '?'] = /^Task (\d+):/m.exec(prompt) ?? []
  const part = prompt.includes('what is next: part b') ? 'b' : 'a'
  const line = `${task}${part}`
  const results = messages.flatMap((message) => (message.role === 'tool' ? [message] : []))
  const last = results.at(-1)
  const isDone =
    results.some(({ ok, text }) => ok && /log\.txt/.test(text) && !text.startsWith('1\t')) ||
    new RegExp(`\\t${line}$`, 'm').test(last?.text ?? '')
  if (isDone) return [says(part === 'a' ? 'NEXT: part b' : 'Both parts are there.'), end('stop')]
  const isUnsure = last?.text.includes('interrupted') ?? false
  return [
    isUnsure
      ? call('read_file', { path: 'log.txt' })
      : call('write_file', { path: 'log.txt', content: `${line}\n`, append: true }),
    end('tool-calls'),
  ]
}

const end = (reason: 'stop' | 'tool-calls'): ModelEvent => ({ type: 'finish', reason })

function call(name: string, input: object): ModelEvent {
  const event = calls(name, input)
  return event.type === 'tool-call'
    ? { ...event, call: { ...event.call, id: `c${++count}-${Date.now()}` } }
    : event
}
