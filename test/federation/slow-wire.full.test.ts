/** The wire between two machines while it is slow: how late, and whether everything arrives. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NamespaceMachine, openSite, type Site, whyNoNamespaces } from './namespaces.ts'
import { IP, whyNoSlowWire } from './slow-wire.ts'
import { seededBytes } from '../support/seed.ts'

const missing = whyNoNamespaces() ?? whyNoSlowWire()

const ECHO = `require('node:net').createServer((one) => one.pipe(one)).listen(9100, () => console.log('ready'))`
const TALK = `const there = require('node:net').connect(9100, process.argv[1]); process.stdin.pipe(there).pipe(process.stdout)`

describe.skipIf(missing !== undefined)(`a slow wire${missing ? ` (${missing})` : ''}`, () => {
  let site: Site
  let far: NamespaceMachine
  let echo: ChildProcess
  let talk: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable }

  beforeAll(async () => {
    site = await openSite(2, '')
    const [near, second] = site.machines as [NamespaceMachine, NamespaceMachine]
    far = second
    echo = inside(far, ECHO)
    await once(echo.stdout as Readable, 'data')
    talk = inside(near, TALK, far.address) as typeof talk
    await roundTrip()
  })

  afterAll(async () => {
    talk.kill()
    echo.kill()
    await site.close()
  })

  const roundTrip = async (): Promise<number> => {
    const started = performance.now()
    talk.stdin.write('x')
    await once(talk.stdout, 'data')
    return performance.now() - started
  }

  test('takes its time there and back, on a connection that was there before', async () => {
    await far.slow(300)

    const tookMs = [await roundTrip(), await roundTrip(), await roundTrip()]

    await far.quick()
    expect(Math.min(...tookMs)).toBeGreaterThanOrEqual(600)
  })

  test('loses and changes nothing of many megabytes, also where it becomes slow and quick on the way', async () => {
    const sent = seededBytes(8 * 2 ** 20)
    await far.slow(20)

    const got = bytesOf(talk.stdout, sent.length)
    talk.stdin.write(sent)
    for (const ms of [5, 50]) {
      await new Promise((resolve) => setTimeout(resolve, 300))
      await far.quick()
      await far.slow(ms)
    }
    const arrived = await got

    await far.quick()
    expect(digest(arrived)).toBe(digest(sent))
  })
})

const inside = ({ name }: NamespaceMachine, script: string, ...args: string[]): ChildProcess =>
  spawn(IP, ['netns', 'exec', name, process.execPath, '-e', script, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })

const bytesOf = (stream: Readable, count: number): Promise<Buffer> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes < count) return
      stream.off('data', take)
      resolve(Buffer.concat(chunks))
    }
    stream.on('data', take)
  })

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
