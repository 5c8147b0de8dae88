/** One odd string everywhere a text can occur in a run: prompt, answer, name of a tool, argument, file name, title. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createPrinter } from '../../src/cli/print.ts'
import { createHttpSession } from '../../src/client/http-session.ts'
import type { SessionEvent } from '../../src/protocol/event.ts'
import type { Model, ModelEvent } from '../../src/protocol/model.ts'
import type { SessionApi } from '../../src/protocol/session-api.ts'
import { calls, finish, says } from '../../src/provider/scripted.ts'
import type { StartRun } from '../../src/session/run.ts'
import { openSessionServer } from '../server/session-server.ts'
import { playing, turn } from '../session/support.ts'
import { covey } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome, openTestApp, promptAndCollect } from '../support/run.ts'

/** What a terminal obeys instead of showing it. */
const OBEYED = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/

/** A run for each string, a few to a session; then what the command line shows of the sessions. */
export async function sayInApp(strings: readonly string[]): Promise<void> {
  const root = await tempProject({ 'project/a.txt': 'hello' })
  const cwd = join(root, 'project')
  const env = await emptyHome()
  const model = callingThenSaying()
  const app = await openTestApp(model, cwd, { env, incognito: false })

  for (const few of inFews(strings)) {
    const session = await app.openSession({ resume: 'new', canAsk: false })
    for (const text of few) {
      model.turnTo(text)
      await sayOnce(session, text)
    }
    await session.close()
  }

  const { out } = await covey(['sessions', '--all'], { cwd, env })
  expect(out).not.toMatch(OBEYED)
  expect(
    out
      .trimEnd()
      .split('\n')
      .every((line) => /^\d{8}-\d{4}-\w{4} {2}/.test(line)),
  ).toBe(true)
  // Whatever was asked to be written, nothing was written beside the project.
  expect(await readdir(root)).toEqual(['project'])
}

const FEW = 5
const inFews = (strings: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(strings.length / FEW) }, (_, index) =>
    strings.slice(index * FEW, (index + 1) * FEW),
  )

/** Uses the string in calls when it is first asked with it, and in words from then on. */
function callingThenSaying(): Model & { turnTo(text: string): void } {
  let replies: ModelEvent[][] = []
  let asked = 0
  return {
    name: 'odd',
    turnTo(text) {
      replies = [
        callsWith(text),
        [says(`This is what was asked for, and all there is to say of it: ${text}`)],
      ]
      asked = 0
    },
    async *stream() {
      yield* replies[Math.min(asked++, 1)] ?? []
      yield finish(asked === 1 ? 'tool-calls' : 'stop')
    },
  }
}

const callsWith = (text: string): ModelEvent[] =>
  [
    calls(text, { path: text }),
    calls('write_file', { path: text, content: text }),
    calls('read_file', { path: text }),
    calls('search_text', { pattern: text, path: '.' }),
    calls('read_file', text),
  ].map((event, index) =>
    event.type === 'tool-call' ? { ...event, call: { ...event.call, id: `call-${index}` } } : event,
  )

async function sayOnce(session: SessionApi, text: string): Promise<void> {
  const printed: string[] = []
  const io = {
    out: (said: string) => void printed.push(said),
    err: (said: string) => void printed.push(said),
  }
  const plain = createPrinter(io, { json: false, verbose: true, colour: false, live: true })
  const json = createPrinter(io, { json: true, verbose: true, colour: false, live: true })
  const onEvent = (event: SessionEvent) => {
    plain(event)
    json(event)
  }

  const events = await promptAndCollect(session, { prompt: `Do it. ${text}`, onEvent })

  expect(events.at(-1), JSON.stringify(text)).toMatchObject({
    type: 'run-end',
    // A thousand times the same letter is a model that goes in circles.
    reason: expect.stringMatching(/^(answered|repetition)$/),
  })
  expect(printed.join('')).not.toMatch(OBEYED)
}

/** What a client of the server sees of a run is what the run told, letter by letter. */
export async function sayThroughServer(strings: readonly string[]): Promise<void> {
  let text = ''
  const startRun: StartRun = (input, signal) => playing(...eventsWith(text))(input, signal)
  const open = await openSessionServer({ startRun })
  for (const few of inFews(strings)) {
    const session = await createHttpSession({ baseUrl: open.url, token: open.token })
    for (text of few) await watchOnce(session, text)
    const [info] = await session.list()
    expect(info?.title).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]/)
    await session.close()
  }
  await open.server.close()
}

const call = (text: string) => ({ id: 'call-1', name: text || 'x', input: text })

const eventsWith = (text: string) => [
  { type: 'text-delta', text } as const,
  { type: 'tool-start', call: call(text), title: text } as const,
  { type: 'tool-end', callId: 'call-1', name: text, ok: true, text, ms: 1 } as const,
  ...turn(
    1,
    { role: 'assistant', text, calls: [call(text)] },
    { role: 'tool', callId: 'call-1', text, ok: true },
  ),
]

async function watchOnce(session: SessionApi, text: string): Promise<void> {
  const events = await promptAndCollect(session, { prompt: `Do it. ${text}` })
  const history = await session.history()

  const told = events.filter(
    ({ type }) => type === 'tool-start' || type === 'tool-end' || type === 'text-delta',
  )
  expect(told).toMatchObject(eventsWith(text).slice(0, 3))
  expect(history.findLast(({ role }) => role === 'user')).toEqual({ role: 'user', text: `Do it. ${text}` })
}
