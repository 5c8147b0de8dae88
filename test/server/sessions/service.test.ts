/** Sessions that a server holds: no more than it may, none that outlives it, and none that takes it down. */
import { expect, onTestFinished, test } from 'vitest'
import type { KeptSession, SessionParts } from '../../../src/server/parts.ts'
import { createSessionService, type SessionServiceOptions } from '../../../src/server/sessions/service.ts'
import { sessionParts, talkative } from '../session-server.ts'
import { tempFolder } from '../support.ts'

/** Real sessions; every one that is open is in `open`. */
async function openDesk(
  options: SessionServiceOptions = {},
  around: (made: KeptSession) => KeptSession = (one) => one,
) {
  const real = sessionParts(await tempFolder(), talkative)
  const open = new Set<string>()
  const noted = async (opening: Promise<KeptSession>): Promise<KeptSession> => {
    const session = await opening
    open.add(session.id)
    const close = session.close.bind(session)
    session.close = async () => {
      await close()
      open.delete(session.id)
    }
    return around(session)
  }
  const parts: SessionParts = {
    create: () => noted(real.create()),
    resume: (id) => noted(real.resume(id)),
    look: real.look,
    list: real.list,
  }
  const service = createSessionService(parts, options)
  onTestFinished(() => service.close())
  return { service, open }
}

test('no more sessions are held than may be, also when many are opened at once', async () => {
  const { service, open } = await openDesk({ maxHeld: 3 })

  const opened = await Promise.allSettled(Array.from({ length: 8 }, () => service.create()))

  expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  expect(open.size).toBe(3)
})

test('a session that is being opened while the service closes is closed as well', async () => {
  const { service, open } = await openDesk()

  const opening = service.create()
  await service.close()
  await opening

  expect(open.size).toBe(0)
})

test('a session whose events cannot be read ends for its watchers only', async () => {
  const { service } = await openDesk({}, (session) => {
    session.events = async function* () {
      yield* []
      throw new Error('the disk is gone')
    }
    return session
  })
  const held = await service.create()

  const told: unknown[] = []
  for await (const { event } of held.watch(undefined, new AbortController().signal)) told.push(event)

  expect(told).toEqual(['open'])
})
