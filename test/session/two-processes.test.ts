import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { childProgram } from '../support/child.ts'
import { newFolder, promptToEnd, runSession, start, testStore } from './support.ts'

test('a session another process writes is refused by name, can be forked, and is free once that process is dead', async () => {
  const folder = await newFolder()
  const script = await childProgram(new URL('child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, folder, '1', '50'])
  await once(child.stdout, 'data')
  const store = testStore(folder)
  const [info] = await store.list()
  const id = info!.id

  await expect(store.open(id, start)).rejects.toMatchObject({
    code: 'session-busy',
    message: expect.stringContaining(`Session ${id} is in use by process ${child.pid}.`),
  })
  await expect(store.remove(id)).rejects.toMatchObject({ code: 'session-busy' })
  const copy = await store.open(await store.fork(id), start)
  expect(copy.replay.messages[0]).toMatchObject({ role: 'user', text: expect.stringContaining('prompt') })
  await copy.close()

  child.kill('SIGKILL')
  await once(child, 'close')
  const stored = await store.open(id, start)
  // Every record of the log has its place in one unbroken sequence: no other process wrote in between.
  expect(stored.damage.filter((damage) => !damage.includes('cut off'))).toEqual([])
  const session = await runSession(stored)
  expect((await promptToEnd(session, 'And now?')).at(-1)).toMatchObject({ reason: 'answered' })
  await session.close()
})
