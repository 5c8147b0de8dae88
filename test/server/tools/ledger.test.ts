import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AppError } from '../../../src/protocol/error.ts'
import type { HostedResult } from '../../../src/protocol/tool-host.ts'
import { openLedger } from '../../../src/server/tools/ledger.ts'
import { tempFolder } from '../support.ts'

const call = { client: 'laptop', key: 'key-0001', request: '["write_file",{}]' }

/** A call that counts how often it really ran. */
function counted(result: HostedResult = { ok: true, text: 'done' }) {
  const runs = { count: 0 }
  const run = async () => {
    runs.count++
    return result
  }
  return { runs, run }
}

test('a repeated key gives the first result and runs nothing, also after a restart', async () => {
  const folder = await tempFolder()
  const first = counted({ ok: false, text: 'exit 1', code: 'exit-code' })
  const second = counted()

  const results = [
    await (await openLedger({ folder })).once(call, first.run),
    await (await openLedger({ folder })).once(call, second.run),
  ]

  expect(results[0]).toEqual({ ok: false, text: 'exit 1', code: 'exit-code' })
  expect(results[1]).toEqual(results[0])
  expect([first.runs.count, second.runs.count]).toEqual([1, 0])
})

test('the same key of two clients is two keys', async () => {
  const ledger = await openLedger({ folder: await tempFolder() })
  const { runs, run } = counted()

  await ledger.once(call, run)
  await ledger.once({ ...call, client: 'desktop' }, run)

  expect(runs.count).toBe(2)
})

test('two at once run once and get the same', async () => {
  const ledger = await openLedger({ folder: await tempFolder() })
  const { runs, run } = counted()

  const results = await Promise.all([ledger.once(call, run), ledger.once(call, run)])

  expect(results).toEqual([
    { ok: true, text: 'done' },
    { ok: true, text: 'done' },
  ])
  expect(runs.count).toBe(1)
})

test('that a call begins is on disk before it runs, without its arguments', async () => {
  const folder = await tempFolder()
  const ledger = await openLedger({ folder })

  let seen = ''
  await ledger.once({ ...call, request: 'password=hunter2' }, async () => {
    const [name = ''] = await readdir(folder)
    seen = await readFile(join(folder, name), 'utf8')
    return { ok: true, text: '' }
  })

  expect(JSON.parse(seen)).toEqual({
    version: 1,
    request: expect.stringMatching(/^[0-9a-f]{64}$/),
    at: expect.any(Number),
  })
})

test('a key whose call never ended, or whose record is damaged, has an unknown outcome and runs nothing', async () => {
  const folder = await tempFolder()
  const never = new Promise<HostedResult>(() => {})
  void (await openLedger({ folder })).once(call, () => never)
  while (
    (await readdir(folder)).filter((name) => name.endsWith('.json') && !name.startsWith('.')).length === 0
  )
    await new Promise((resolve) => setTimeout(resolve, 5))
  const { runs, run } = counted()

  const crashed = await (await openLedger({ folder })).once(call, run)
  const [name = ''] = await readdir(folder)
  await writeFile(join(folder, name), '{"version":1,"requ')
  const damaged = await (await openLedger({ folder })).once(call, run)

  expect([crashed.code, damaged.code]).toEqual(['unknown-outcome', 'unknown-outcome'])
  expect(crashed.text).toMatch(/^unknown outcome/)
  expect(runs.count).toBe(0)
})

test('another call under a used key is refused, also while the first still runs', async () => {
  const ledger = await openLedger({ folder: await tempFolder() })
  const { runs, run } = counted()
  const other = { ...call, request: '["run_command",{}]' }

  const running = ledger.once(call, run)
  const beside = await ledger.once(other, run).catch((error: AppError) => error.details.status)
  await running
  const later = await ledger.once(other, run).catch((error: AppError) => error.details.status)

  expect([beside, later, runs.count]).toEqual([409, 409, 1])
})

test('a call that was refused before anything ran leaves its key free', async () => {
  const ledger = await openLedger({ folder: await tempFolder() })
  const refuse = () => Promise.reject(new AppError('request-invalid', 'no such workspace'))

  const refused = await ledger.once(call, refuse).catch((error: Error) => error.message)

  expect(refused).toBe('no such workspace')
  expect(await ledger.once(call, counted().run)).toEqual({ ok: true, text: 'done' })
})

test('keys are forgotten after their time and never before: when there is no room, calls are refused', async () => {
  const folder = await tempFolder()
  let time = Date.now()
  const ledger = await openLedger({ folder, maxKeys: 2, keepMs: 1_000, now: () => time })
  const { runs, run } = counted()
  const once = (key: string) => ledger.once({ ...call, key }, run)
  await once('key-0001')
  await once('key-0002')

  const full = await once('key-0003').catch((error: AppError) => error.code)
  time += 2_000
  const later = await once('key-0003')

  expect([full, later.ok, runs.count]).toEqual(['rate-limited', true, 3])
  expect(await readdir(folder)).toHaveLength(1)
})

test('a clock that is set forward by days makes it forget no key', async () => {
  const ledger = await openLedger({ folder: await tempFolder(), maxKeys: 1 })
  const { runs, run } = counted()
  const now = Date.now
  onTestFinished(() => void (Date.now = now))
  await ledger.once(call, run)

  Date.now = () => now() + 3 * 86_400_000
  const other = ledger.once({ ...call, key: 'key-0002' }, run)

  await expect(other).rejects.toMatchObject({ code: 'rate-limited' })
  await ledger.once(call, run)
  expect(runs.count).toBe(1)
})
