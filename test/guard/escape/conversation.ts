/**
 * How the tries reach the guard: through the same door as a headless run, a session of the app with a model that makes one
 * call per prompt; or over HTTP, as a client of a tool host does.
 */
import { createApp, type Model, type SessionEvent } from '../../../src/index.ts'

export type Seen = { readonly text: string; readonly questions: readonly string[] }

export type Conversation = {
  call(call: { readonly name: string; readonly input: object }): Promise<Seen>
  close(): Promise<void>
}

export type ConversationParts = {
  readonly kind: 'session' | 'tool-host'
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly mode: string
  /** Questions that are answered with yes; those after them with no. */
  readonly yes: number
}

export const openConversation = (parts: ConversationParts): Promise<Conversation> =>
  parts.kind === 'session' ? openSession(parts) : openToolHost(parts)

async function openSession({ cwd, env, mode, yes }: ConversationParts): Promise<Conversation> {
  const { model, say } = obedientModel()
  const app = await createApp({ env, cwd, model, probe: false, permission: mode as 'auto' })
  const session = await app.openSession({ resume: 'new', canAsk: yes > 0 })
  let left = yes
  const stop = new AbortController()
  const events = session.events({ signal: stop.signal })[Symbol.asyncIterator]()
  return {
    async call(call) {
      say(call)
      const { runId } = await session.prompt('Go on.')
      const seen: SessionEvent[] = []
      for (;;) {
        const { value: event, done } = await events.next()
        if (done) throw new Error('the events ended before the run')
        seen.push(event)
        if (event.type === 'permission-ask') await session.answer(event.askId, { allow: left-- > 0 })
        if (event.type === 'question-ask')
          await session.answer(event.askId, { text: left-- > 0 ? yesOf(event.options) : 'no' })
        if (event.type === 'run-end' && event.runId === runId) break
      }
      return { text: seen.map(textOf).filter(Boolean).join('\n'), questions: seen.flatMap(questionOf) }
    },
    async close() {
      stop.abort()
      await session.close()
      await app.close()
    },
  }
}

const yesOf = (options: readonly string[] = []): string => options.find((each) => /^yes/i.test(each)) ?? 'yes'

function textOf(event: SessionEvent): string {
  if (event.type === 'tool-end' || event.type === 'tool-output') return event.text
  if (event.type === 'error' || event.type === 'warning') return event.message
  if (event.type === 'run-end') return event.report ?? ''
  return ''
}

function questionOf(event: SessionEvent): readonly string[] {
  if (event.type === 'question-ask') return [event.question]
  if (event.type === 'permission-ask') return [event.why]
  return []
}

/** Makes the call it is given, and is content with whatever comes back. */
function obedientModel() {
  let next: { readonly name: string; readonly input: object } | undefined
  let count = 0
  const model: Model = {
    name: 'obedient',
    async *stream() {
      const call = next
      next = undefined
      if (call === undefined) yield { type: 'text-delta', text: `Done with ${count}.` }
      else {
        const id = `call-${++count}`
        yield { type: 'tool-call', call: { id, name: call.name, input: JSON.stringify(call.input) } }
      }
      yield { type: 'finish', reason: call === undefined ? 'stop' : 'tool-calls' }
    },
  }
  return { model, say: (call: typeof next) => void (next = call) }
}

async function openToolHost({ cwd, env, mode }: ConversationParts): Promise<Conversation> {
  const { startToolHost } = await import('../../../src/app/serve-tools.ts')
  const host = await startToolHost({ env, cwd, port: 0, isAuthOff: false, permission: mode as 'auto' })
  const token = /COVEY_TOOL_HOST__TOKEN=(\S+)/.exec(host.banner)?.[1] ?? ''
  return {
    async call({ name, input }) {
      const response = await fetch(`http://127.0.0.1:${host.port}/v1/tools/execute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ tool: name, arguments: input }),
      })
      const reply = (await response.json()) as { text?: string }
      return { text: reply.text ?? '', questions: [] }
    },
    close: () => host.close(),
  }
}
