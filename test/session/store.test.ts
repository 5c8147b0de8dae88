import { appendFile, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/protocol/message.ts'
import { memoryShelf } from '../../src/session/memory-shelf.ts'
import type { StoredSession } from '../../src/session/store.ts'
import { call, closeAndRead, endOf, newFolder, promptToEnd, runSession, start, testStore } from './support.ts'

const conversation: Message[] = [
  { role: 'user', text: 'Read it.' },
  { role: 'assistant', text: '', calls: [call('c1'), call('c2')] },
  { role: 'tool', callId: 'c1', text: 'hello', ok: true },
  { role: 'tool', callId: 'c2', text: 'world', ok: true },
  { role: 'assistant', text: 'It says hello world.', calls: [] },
]

/** Writes a session as a run would, and gives it free again. */
async function fill(stored: StoredSession, messages: readonly Message[] = conversation, prompt = 'Read it.') {
  stored.log.append({ type: 'prompt', at: 1, runId: 'run-1', input: prompt, options: {} })
  for (const message of messages) stored.log.append({ type: 'message', at: 1, message })
  await stored.close()
  return stored.replay.info.id
}

/** The same promises hold on disk and in memory. */
const kinds: [string, (keep?: number) => Promise<ReturnType<typeof testStore>>][] = [
  ['on disk', async (keep) => testStore(await newFolder(), keep)],
  ['in memory', async (keep) => testStore(undefined, keep)],
]

describe.each(kinds)('%s', (_kind, newStore) => {
  test('a session is made, closed and resumed with all that was said', async () => {
    const store = await newStore()
    const created = await store.create(start)
    expect(created.replay).toMatchObject({
      info: { cwd: '/project', messages: 0 },
      system: 'You are covey.',
      messages: [],
    })
    const id = await fill(created)

    const resumed = await store.open(id, { cwd: '/elsewhere', system: 'Another text.' })

    expect(resumed.replay).toMatchObject({
      info: { id, title: 'Read it.', cwd: '/project', messages: 5 },
      system: 'You are covey.',
      messages: conversation,
    })
    expect(resumed.damage).toEqual([])
    await resumed.close()
  })

  test('sessions are listed newest first, of one folder or all', async () => {
    const store = await newStore()
    const first = await fill(await store.create(start))
    const other = await fill(await store.create({ ...start, cwd: '/other' }))
    const third = await fill(await store.create(start))

    expect((await store.list()).map(({ id }) => id)).toEqual([third, other, first])
    expect((await store.list('/project')).map(({ id }) => id)).toEqual([third, first])
    expect((await store.last('/other'))?.id).toBe(other)
    expect(await store.last('/nowhere')).toBeUndefined()
  })

  test('a session in which nothing was said leaves nothing behind', async () => {
    const store = await newStore()

    await (await store.create(start)).close()

    expect(await store.list()).toEqual([])
  })

  test('search finds messages, whatever the case', async () => {
    const store = await newStore()
    const id = await fill(await store.create(start))
    await fill(await store.create(start), [{ role: 'user', text: 'Something else.' }])

    const hits = await store.search('HELLO World')

    expect(hits).toMatchObject([{ info: { id }, excerpt: 'It says hello world.' }])
    expect(await store.search('nowhere to be found')).toEqual([])
  })

  test('a fork at any message is legal, independent and says where it comes from', async () => {
    const store = await newStore()
    const stored = await store.create(start)
    const result = await stored.results.put('log', 'a long text')
    const id = await fill(stored)

    for (let count = 0; count <= conversation.length; count++) {
      const copy = await store.open(await store.fork(id, count), start)
      const session = await runSession(copy)
      const kept = (await session.history()).slice(0, count)
      await promptToEnd(session, 'And now?')

      expect(kept).toEqual(conversation.slice(0, count))
      expect((await session.history()).at(-2)).toEqual({ role: 'user', text: 'And now?' })
      expect(await copy.results.read(result.id)).toBe('a long text')
      expect(copy.replay.info).toMatchObject({ title: 'Read it.', cwd: '/project' })
      await session.close()
    }

    expect((await store.read(id)).messages).toEqual(conversation)
    await expect(store.fork(id, 6)).rejects.toThrow('has 5 messages')
    expect((await store.list()).length).toBe(7)
  })

  test('a copy of what came before a run is right after a compaction, and can be gone back in again', async () => {
    const store = await newStore()
    const stored = await store.create(start)
    const { id } = stored.replay.info
    const digest: Message = { role: 'user', text: 'What was done so far', origin: 'digest' }
    const session = await runSession(stored, {
      compact: async () => ({ messages: [digest], event: { type: 'warning', message: 'compacted' } }),
    })
    const words = ['One.', 'Two.', 'Three.']
    const runs: string[] = []
    for (const word of words) {
      if (word === 'Three.') await session.command('compact')
      const end = (await promptToEnd(session, word)).at(-1)
      runs.push(end?.type === 'run-end' ? end.runId : '')
    }
    await session.close()
    const said = await store.ownMessages(id)

    const copy = await store.open(await store.fork(id, { before: runs[1] ?? '' }), start)
    const branch = await runSession(copy)
    await promptToEnd(branch, 'Another two.')
    const history = await branch.history()
    await branch.close()
    const again = await store.fork(copy.replay.info.id, { before: runs[0] ?? '' })

    expect(said.map(({ runId, text }) => [runId, text])).toEqual(words.map((word, at) => [runs[at], word]))
    const done = { role: 'assistant', text: 'Done.', calls: [] }
    expect(history).toEqual([
      { role: 'user', text: 'One.' },
      done,
      { role: 'user', text: 'Another two.' },
      done,
    ])
    const inCopy = await store.ownMessages(copy.replay.info.id)
    expect(inCopy.map(({ text }) => text)).toEqual(['One.', 'Another two.'])
    expect(await store.read(again)).toMatchObject({ messages: [], waiting: [], info: { title: '' } })
    expect((await store.read(id)).messages).toEqual([digest, { role: 'user', text: 'Three.' }, done])
    await expect(store.fork(id, { before: 'run-gone' })).rejects.toThrow(
      'no longer has the message of run-gone',
    )
    expect(await store.list()).toHaveLength(3)
  })

  test('messages that wait for a run are in no copy, and a run that goes on is ended in it', async () => {
    const store = await newStore()
    const stored = await store.create(start)
    const { id } = stored.replay.info
    let finish = (): void => {}
    const waiting = new Promise<void>((resolve) => (finish = resolve))
    const session = await runSession(stored, {
      startRun: async function* ({ runId }) {
        await waiting
        yield* []
        return endOf(runId)
      },
    })
    const first = await session.prompt('One.')
    await session.prompt('Two.')

    const copy = await store.open(await store.fork(id), start)
    finish()
    await session.close()

    expect(copy.replay).toMatchObject({ messages: [{ role: 'user', text: 'One.' }], waiting: [] })
    expect(copy.replay.openRun).toBeUndefined()
    expect((await store.ownMessages(copy.replay.info.id)).map(({ runId }) => runId)).toEqual([first.runId])
    await copy.close()
  })

  test('a session can be forked while it is in use', async () => {
    const store = await newStore()
    const id = await fill(await store.create(start))
    const held = await store.open(id, start)

    const copy = await store.open(await store.fork(id), start)

    expect(copy.replay.messages).toEqual(conversation)
    await copy.close()
    await held.close()
  })

  test('one that is open cannot be opened again or removed', async () => {
    const store = await newStore()
    const id = await fill(await store.create(start))
    const held = await store.open(id, start)

    await expect(store.open(id, start)).rejects.toMatchObject({ code: 'session-busy' })
    await expect(store.remove(id)).rejects.toMatchObject({ code: 'session-busy' })

    await held.close()
    await store.remove(id)
    await expect(store.open(id, start)).rejects.toMatchObject({ code: 'session-unknown' })
  })

  test('the newest are kept, and those in use', async () => {
    const store = await newStore(2)
    const first = await fill(await store.create(start))
    const held = await store.open(first, start)
    const second = await fill(await store.create(start))
    const third = await fill(await store.create(start))
    const fourth = await fill(await store.create(start))

    expect((await store.list()).map(({ id }) => id)).toEqual([fourth, third, first])

    await held.close()
    expect(await store.prune()).toEqual([first])
    await expect(store.read(second)).rejects.toMatchObject({ code: 'session-unknown' })
  })

  test('sessions of packets crowd out no conversation of the person, and none of them is the last one', async () => {
    const store = await newStore(1)
    const own = await fill(await store.create(start))
    const packets: string[] = []
    for (const _ of Array.from({ length: 7 })) {
      packets.push(await fill(await store.create({ ...start, isPacket: true })))
    }

    await store.prune()
    const kept = (await store.list()).map(({ id, isPacket }) => ({ id, isPacket }))

    expect(kept).toHaveLength(6)
    expect(kept).toContainEqual({ id: own, isPacket: undefined })
    expect(kept.filter(({ isPacket }) => isPacket)).toHaveLength(5)
    expect((await store.last('/project'))?.id).toBe(own)
  })

  test('an unknown id is answered with near ones and where to look', async () => {
    const store = await newStore()
    const id = await fill(await store.create(start))

    await expect(store.open(id.slice(-4), start)).rejects.toMatchObject({
      code: 'session-unknown',
      message: `The session "${id.slice(-4)}" does not exist. Did you mean ${id}? \`covey sessions\` lists the existing ones.`,
    })
    await expect(store.read(`${id.slice(0, -1)}_`)).rejects.toThrow(`Did you mean ${id}?`)
    await expect(store.remove('nonsense')).rejects.toThrow(
      'The session "nonsense" does not exist. `covey sessions`',
    )
  })

  test.each([
    '..',
    '../..',
    '/etc',
    '',
    '.',
    'index.json',
    '20261115-0447-k3f9/../..',
    '\u001B[2J',
    'a'.repeat(99),
  ])('the id %j reaches no path', async (id) => {
    const store = await newStore()

    const error = await store.open(id, start).catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({ code: 'session-unknown' })
    expect(String(error)).not.toContain('\u001B')
    expect(String(error).length).toBeLessThan(300)
  })

  test('extra fields of messages survive byte for byte', async () => {
    const store = await newStore()
    const messages: Message[] = [
      {
        role: 'user',
        text: '\ud800 \0 \u2028',
        images: [{ mediaType: 'image/png', base64: 'AA==', path: 'a.png' }],
      },
      {
        role: 'assistant',
        text: '',
        calls: [{ id: 'c', name: 'x', input: '{ "a" :1e3,"a":"\\u00e9" }' }],
        reasoning: 'hm',
        tokens: [1, 2],
        flag: 'empty',
      },
    ]

    const id = await fill(await store.create(start), messages)

    expect((await store.read(id)).messages).toEqual(messages)
  })
})

describe('on disk only', () => {
  test('only the owner can read a session', async () => {
    const folder = await newFolder()
    const store = testStore(folder)
    const stored = await store.create(start)
    const { id } = await stored.results.put('log', 'text')
    const session = await fill(stored)

    const modes = await Promise.all(
      ['', 'log.jsonl', 'results', `results/${id}.txt`].map(async (name) =>
        ((await stat(join(folder, session, name))).mode & 0o777).toString(8),
      ),
    )

    expect(modes).toEqual(['700', '600', '700', '600'])
  })

  test.each([
    ['missing', async (path: string) => rm(path)],
    ['broken', async (path: string) => writeFile(path, '[{"stamp":1')],
    ['about something else', async (path: string) => writeFile(path, '[{"stamp":"1-1","info":{}}]')],
    ['unwritable', async (path: string) => rm(path).then(() => mkdir(path))],
  ])('an index that is %s changes nothing', async (_what, damage) => {
    const folder = await newFolder()
    const store = testStore(folder)
    await fill(await store.create(start))
    const expected = await store.list()

    await damage(join(folder, 'index.json'))

    expect(await testStore(folder).list()).toEqual(expected)
    expect(await testStore(folder).list()).toEqual(expected)
  })

  test('an index that is stale is noticed', async () => {
    const folder = await newFolder()
    const store = testStore(folder)
    const id = await fill(await store.create(start))
    await store.list()
    const index = await readFile(join(folder, 'index.json'), 'utf8')
    const resumed = await store.open(id, start)
    resumed.log.append({ type: 'message', at: 1, message: { role: 'user', text: 'More.' } })
    await resumed.close()

    await writeFile(join(folder, 'index.json'), index)

    expect(await store.list()).toMatchObject([{ id, messages: 6 }])
  })

  test('strangers in the folder are left alone', async () => {
    const folder = await newFolder()
    await mkdir(join(folder, 'notes'))
    await mkdir(join(folder, '20261115-0447-k3f9'))

    const store = testStore(folder, 0)

    expect(await store.list()).toEqual([])
    await store.prune()
    expect(await readdir(folder)).toEqual(['20261115-0447-k3f9', 'notes'])
  })

  test('one that cannot be read hides no other and does not block a new one', async () => {
    const folder = await newFolder()
    const store = testStore(folder, 1)
    const id = await fill(await store.create(start))
    await mkdir(join(folder, '20200101-0000-aaaa', 'log.jsonl'), { recursive: true })

    const next = await fill(await store.create(start))

    expect((await store.list()).map((info) => info.id)).toEqual([next])
    expect(await store.search('hello')).toMatchObject([{ info: { id: next } }])
    await expect(store.read(id)).rejects.toThrow('does not exist')
    await expect(store.read('20200101-0000-aaaa')).rejects.toThrow()
  })

  test('many processes that begin, prune and list at once do not stumble over each other', async () => {
    const folder = await newFolder()
    const stores = Array.from({ length: 6 }, () => testStore(folder, 1))

    const begun = await Promise.all(
      stores.flatMap((store) => [
        ...Array.from({ length: 4 }, async () => fill(await store.create(start))),
        ...Array.from({ length: 4 }, () => store.search('hello').then(() => 'looked')),
      ]),
    )

    expect(begun.filter((what) => what !== 'looked')).toHaveLength(24)
  })

  test('what a process that was killed left of a session is removed after an hour', async () => {
    const folder = await newFolder()
    const store = testStore(folder)
    const [old, young] = ['20261115-0447-aaaa', '20261115-0447-bbbb'].map((id) => join(folder, id))
    for (const place of [old!, young!]) {
      await mkdir(join(place, 'results'), { recursive: true })
      await writeFile(join(place, 'results', 'r1.txt'), '{}\nprivate')
    }
    const twoHoursAgo = Date.now() / 1000 - 7200
    await utimes(old!, twoHoursAgo, twoHoursAgo)

    const kept = await fill(await store.create(start))

    expect(await readdir(folder)).toEqual(['20261115-0447-bbbb', kept, 'index.json'].toSorted())
  })

  test('half a fork is none', async () => {
    const folder = await newFolder()
    const store = testStore(folder)
    const id = await fill(await store.create(start))
    await mkdir(join(folder, id, 'results', 'r1.txt'), { recursive: true })

    await expect(store.fork(id)).rejects.toThrow()

    expect((await store.list()).map((info) => info.id)).toEqual([id])
    expect((await readdir(folder)).filter((name) => name !== 'index.json')).toEqual([id])
  })

  test('a fork takes the results along, whatever else lies beside them', async () => {
    const folder = await newFolder()
    const store = testStore(folder)
    const stored = await store.create(start)
    await stored.results.put('log', 'one')
    await writeFile(join(folder, stored.replay.info.id, 'results', '.r2.txt.half.tmp'), 'tw')
    const copy = await store.fork(await fill(stored))

    const forked = await store.open(copy, start)
    await forked.close()

    expect(await forked.results.read('r1')).toBe('one')
    expect(await readdir(join(folder, copy, 'results'))).toEqual(['r1.txt'])
  })

  test('a log that lost its first record opens with the text it is given', async () => {
    const folder = await newFolder()
    const store = testStore(folder)
    const id = await fill(await store.create(start))
    const path = join(folder, id, 'log.jsonl')
    await writeFile(path, (await readFile(path, 'utf8')).replace('You are covey', 'You are dovey'))

    const opened = await store.open(id, { cwd: '/here', system: 'Fresh text.' })
    await opened.close()

    expect(opened.replay).toMatchObject({
      info: { cwd: '/here', title: 'Read it.' },
      system: 'Fresh text.',
      messages: conversation,
    })
    expect(opened.damage).toEqual([`${path}, byte 0: the checksum does not match`])
    const again = await store.open(id, start)
    expect(again.replay).toMatchObject({ info: { cwd: '/here' }, system: 'Fresh text.' })
    await again.close()
  })

  test('what was torn off is reported to watchers', async () => {
    const folder = await newFolder()
    const store = testStore(folder)
    const id = await fill(await store.create(start))
    await appendFile(join(folder, id, 'log.jsonl'), '{"sum":"')

    const session = await runSession(await store.open(id, start))

    expect(await closeAndRead(session)).toMatchObject([
      { type: 'run-start', runId: 'run-1', prompt: 'Read it.' },
      { type: 'run-end', runId: 'run-1', reason: 'cancelled' },
      { type: 'warning', message: expect.stringContaining('8 bytes are kept in') },
    ])
  })

  test('records of a later version are passed over', async () => {
    const folder = await newFolder()
    const store = testStore(folder)
    const stored = await store.create(start)
    stored.log.append({ type: 'from-the-future' } as never)
    const id = await fill(stored)

    expect((await store.read(id)).messages).toEqual(conversation)
  })
})

test('in memory, what a compaction replaced leaves when too much was said', async () => {
  const shelf = memoryShelf()
  await shelf.make('20261115-0447-k3f9')
  const { log, close } = await shelf.open('20261115-0447-k3f9')
  log.append({ type: 'prompt', at: 1, runId: 'run-1', input: 'Go on.', options: {} })
  const long: Message = { role: 'user', text: 'x'.repeat(1_048_576) }
  for (let count = 0; count < 70; count++) log.append({ type: 'message', at: 1, message: long })
  log.append({ type: 'history', at: 2, messages: [{ role: 'user', text: 'In short.' }] })
  log.append({ type: 'message', at: 3, message: { role: 'assistant', text: 'Yes.', calls: [] } })
  await close()

  const types = []
  for await (const records of shelf.records('20261115-0447-k3f9'))
    types.push(...records.map(({ type }) => type))
  const { replay } = await shelf.open('20261115-0447-k3f9')

  expect(types).toEqual(['prompt', 'history', 'message'])
  expect(replay).toMatchObject({ info: { title: 'Go on.', messages: 2 } })
})
