import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { download, type DownloadProgress, type DownloadRequest } from '../../src/models/download.ts'
import { AppError } from '../../src/protocol/error.ts'
import { childProgram } from '../support/child.ts'
import { tempProject } from '../support/project.ts'
import { fileServer, type FileServer } from './file-server.ts'
import { seededBytes, seededRandom } from '../support/seed.ts'

const KIB = 1024
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const never = new AbortController().signal
const noWait = async (): Promise<void> => {}

type Options = Partial<DownloadRequest>

function requestFor(server: FileServer, folder: string, options: Options = {}): DownloadRequest {
  return {
    url: server.url,
    path: join(folder, 'model.gguf'),
    chunkBytes: 16 * KIB,
    sleep: noWait,
    ...options,
  }
}

const get = (server: FileServer, folder: string, options?: Options) =>
  download(requestFor(server, folder, options), never)

describe('a download', () => {
  test('comes in parts over several connections and leaves nothing but the file', async () => {
    const content = seededBytes(200 * KIB)
    const server = await fileServer(content)
    const folder = await tempProject()

    const got = await get(server, folder, { sha256: sha256(content) })

    expect(got).toEqual({ path: join(folder, 'model.gguf'), bytes: content.length, wasHere: false })
    expect(readdirSync(folder)).toEqual(['model.gguf'])
    expect(readFileSync(got.path).equals(content)).toBe(true)
    expect(server.asked).toHaveLength(1 + Math.ceil(200 / 16))
  })

  test('says how far it is, up to the end, and that it checks', async () => {
    const content = seededBytes(100 * KIB)
    const server = await fileServer(content)
    const seen: DownloadProgress[] = []

    await get(server, await tempProject(), {
      sha256: sha256(content),
      onProgress: (progress) => seen.push(progress),
    })

    const fetched = seen.filter(({ stage }) => stage === 'fetching').map(({ bytes }) => bytes)
    expect(fetched).toEqual(fetched.toSorted((a, b) => a - b))
    expect(fetched.at(-1)).toBe(content.length)
    expect(seen.at(-1)).toEqual({ stage: 'verifying', bytes: content.length, total: content.length })
  })

  test('of a file that is here is not made again', async () => {
    const server = await fileServer(Buffer.from('new'))
    const folder = await tempProject({ 'model.gguf': 'old' })

    const got = await get(server, folder)

    expect(got).toMatchObject({ bytes: 3, wasHere: true })
    expect(readFileSync(got.path, 'utf8')).toBe('old')
    expect(server.asked).toEqual([])
    expect(readdirSync(folder)).toEqual(['model.gguf'])
  })

  test.each([1, 16 * KIB, 16 * KIB + 1, 5 * 16 * KIB])('of %d bytes is exact', async (size) => {
    const content = seededBytes(size)
    const server = await fileServer(content)

    const { path } = await get(server, await tempProject())

    expect(readFileSync(path).equals(content)).toBe(true)
  })

  test('goes on byte for byte after connections that break off anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 120 * KIB }),
        fc.array(fc.integer({ min: 0, max: 16 * KIB }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        async (size, cuts, connections) => {
          const content = seededBytes(size)
          const server = await fileServer(content)
          server.cuts.push(...cuts)

          const { path } = await get(server, await tempProject(), { connections, sha256: sha256(content) })

          expect(readFileSync(path).equals(content)).toBe(true)
        },
      ),
      { numRuns: 15 },
    )
  })

  test('interrupted at thirty places and taken up again is exact', async () => {
    const content = seededBytes(2048 * KIB)
    const server = await fileServer(content)
    const folder = await tempProject()

    const random = seededRandom('interrupted')

    for (let round = 0; round < 30; round++) {
      const stop = new AbortController()
      const enough = 1 + Math.floor(random() * 24 * KIB)
      let first: number | undefined
      const onProgress = ({ bytes }: DownloadProgress): void => {
        first ??= bytes
        if (bytes - first >= enough) stop.abort()
      }
      const request = requestFor(server, folder, { onProgress, connections: 2 })
      await expect(download(request, stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
    }
    const asked = server.asked.length
    const { path } = await get(server, folder, { sha256: sha256(content) })

    expect(readFileSync(path).equals(content)).toBe(true)
    expect(server.asked.length - asked).toBeLessThan(1 + 2048 / 16 - 30)
    expect(readdirSync(folder)).toEqual(['model.gguf'])
  })

  test('from a server that cannot send parts comes in one piece, and again from the start', async () => {
    const content = seededBytes(100 * KIB)
    const server = await fileServer(content)
    server.ranged = false
    server.cuts.push(30 * KIB, 60 * KIB)

    const { path } = await get(server, await tempProject(), { sha256: sha256(content) })

    expect(readFileSync(path).equals(content)).toBe(true)
    expect(server.asked).toHaveLength(3)
  })

  test('of an unknown size is downloaded too', async () => {
    const content = seededBytes(50 * KIB)
    const server = await fileServer(content)
    Object.assign(server, { ranged: false, sendsLength: false })

    const { path } = await get(server, await tempProject())

    expect(readFileSync(path).equals(content)).toBe(true)
  })

  test('begins anew when the file has changed since it was interrupted', async () => {
    const server = await fileServer(seededBytes(100 * KIB))
    const folder = await tempProject()
    await interruptedAfter(40 * KIB, server, folder)
    server.content = seededBytes(100 * KIB)
    server.etag = '"two"'

    const { path } = await get(server, folder)

    expect(readFileSync(path).equals(server.content)).toBe(true)
  })

  test('begins anew when the file changes while it is fetched', async () => {
    const server = await fileServer(seededBytes(100 * KIB))
    server.onRequest = (count) => {
      if (count !== 4) return
      server.content = seededBytes(120 * KIB)
      server.etag = '"two"'
    }

    const { path } = await get(server, await tempProject(), { connections: 1 })

    expect(readFileSync(path).equals(server.content)).toBe(true)
  })

  test('keeps nothing where neither an etag nor a hash vouches for it', async () => {
    const server = await fileServer(seededBytes(100 * KIB))
    server.etag = undefined
    const folder = await tempProject()
    await interruptedAfter(40 * KIB, server, folder)
    server.content = seededBytes(100 * KIB)

    const { path } = await get(server, folder)

    expect(readFileSync(path).equals(server.content)).toBe(true)
  })

  async function interruptedAfter(bytes: number, server: FileServer, folder: string): Promise<void> {
    const stop = new AbortController()
    const onProgress = (progress: DownloadProgress): void => {
      if (progress.bytes >= bytes) stop.abort()
    }
    await expect(download(requestFor(server, folder, { onProgress }), stop.signal)).rejects.toThrow()
    expect(existsSync(join(folder, 'model.gguf.download', 'progress.json'))).toBe(true)
  }
})

describe('a wrong file', () => {
  test('is rejected and removed', async () => {
    const server = await fileServer(seededBytes(50 * KIB))
    const folder = await tempProject()

    const failure = get(server, folder, { sha256: '0'.repeat(64) })

    await expect(failure).rejects.toMatchObject({
      code: 'model-unavailable',
      message: expect.stringContaining(
        `model.gguf has the sha256 ${sha256(server.content)}, expected was 000`,
      ),
    })
    expect(readdirSync(folder)).toEqual([])
  })

  test('that the caller does not accept gets no name either', async () => {
    const server = await fileServer(seededBytes(10))
    const folder = await tempProject()
    const verify = async (): Promise<never> => {
      throw new AppError('model-unavailable', 'no GGUF')
    }

    await expect(get(server, folder, { verify })).rejects.toThrow('no GGUF')

    expect(readdirSync(folder)).toEqual([])
  })

  test('is noticed before it is fetched where the source names its hash', async () => {
    const server = await fileServer(seededBytes(50 * KIB))
    const announced = 'a'.repeat(64)
    server.refusals.push({ status: 302, headers: { location: '/x.gguf', 'x-linked-etag': `"${announced}"` } })

    await expect(get(server, await tempProject(), { sha256: 'b'.repeat(64) })).rejects.toThrow(announced)

    expect(server.asked).toHaveLength(2)
  })

  test('is found by the hash the source names when no other source has one', async () => {
    const server = await fileServer(seededBytes(50 * KIB))
    server.refusals.push({
      status: 302,
      headers: { location: '/x.gguf', 'x-linked-etag': `"${'a'.repeat(64)}"` },
    })

    await expect(get(server, await tempProject())).rejects.toThrow('expected was aaa')
  })
})

describe('before anything is fetched', () => {
  test('a full disk is said, with how much is missing', async () => {
    const server = await fileServer(seededBytes(100 * KIB))
    const folder = await tempProject()

    const failure = get(server, folder, { freeSpace: async () => 99 * KIB })

    await expect(failure).rejects.toMatchObject({
      code: 'storage-failed',
      message: expect.stringMatching(/model\.gguf needs .* free; free .* more, or set XDG_DATA_HOME/),
    })
    expect(server.asked).toHaveLength(1)
    expect(readdirSync(folder)).toEqual([])
  })

  test('offline is an error that names itself, and no connection leaves', async () => {
    const server = await fileServer(seededBytes(10))
    const folder = await tempProject()

    const failure = get(server, folder, { offline: true })

    await expect(failure).rejects.toMatchObject({
      code: 'offline',
      message: expect.stringContaining('COVEY_OFFLINE=1'),
    })
    expect(server.asked).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a server that', () => {
  test('is busy is asked again, as late as it wants', async () => {
    const server = await fileServer(seededBytes(10))
    server.refusals.push({ status: 503 }, { status: 429, headers: { 'retry-after': '7' } })
    const waits: number[] = []

    await get(server, await tempProject(), { sleep: async (ms) => void waits.push(ms) })

    expect(waits).toEqual([500, 7000])
  })

  test('never gets better is given up, and what has arrived is kept', async () => {
    const server = await fileServer(seededBytes(100 * KIB))
    const folder = await tempProject()
    server.onRequest = (count) => {
      if (count > 3) server.refusals.push({ status: 500 })
    }

    await expect(get(server, folder, { connections: 1 })).rejects.toMatchObject({
      code: 'model-unavailable',
      message: expect.stringContaining('Run the same command again'),
    })

    expect(readdirSync(join(folder, 'model.gguf.download')).toSorted()).toEqual(['data', 'progress.json'])
  })

  test.each([
    [404, 'model-unavailable', 'The file http://'],
    [401, 'credential', 'HF_TOKEN'],
    [403, 'credential', 'HF_TOKEN'],
    [410, 'model-unavailable', 'answered 410'],
  ])('answers %d is not asked twice', async (status, code, words) => {
    const server = await fileServer(seededBytes(10))
    server.refusals.push({ status })

    const failure = get(server, await tempProject())

    await expect(failure).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
    expect(server.asked).toHaveLength(1)
  })

  test('redirects is followed; the token stays with the first host', async () => {
    const content = seededBytes(20 * KIB)
    const store = await fileServer(content)
    const server = await fileServer(Buffer.alloc(0))
    const location = store.url.href
    server.onRequest = () => server.refusals.push({ status: 302, headers: { location } })

    const { path } = await get(server, await tempProject(), { token: 'secret' })

    expect(readFileSync(path).equals(content)).toBe(true)
    expect(new Set(server.asked.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer secret']),
    )
    expect(new Set(store.asked.map(({ authorization }) => authorization))).toEqual(new Set([undefined]))
  })

  test('redirects in a circle or to something else than http is refused', async () => {
    const circle = await fileServer(Buffer.alloc(0))
    circle.onRequest = () => circle.refusals.push({ status: 302, headers: { location: circle.url.href } })
    const other = await fileServer(Buffer.alloc(0))
    other.refusals.push({ status: 302, headers: { location: 'file:///etc/passwd' } })

    await expect(get(circle, await tempProject())).rejects.toThrow('redirected more than 5 times')
    await expect(get(other, await tempProject())).rejects.toThrow('redirects to what is not https')
  })

  test('redirects to an address with a password is refused, and the password is not repeated', async () => {
    const server = await fileServer(Buffer.alloc(0))
    server.refusals.push({ status: 302, headers: { location: 'https://me:hunter2@example.test/model.gguf' } })

    const failure = get(server, await tempProject())

    await expect(failure).rejects.toMatchObject({
      code: 'model-unavailable',
      message: `${server.url.host} redirects to an address with a password; it was not followed.`,
    })
  })

  test('claims a file larger than any disk is left before anything is made for it', async () => {
    const server = await fileServer(Buffer.alloc(0))
    const headers = { 'content-range': `bytes 0-0/${Number.MAX_SAFE_INTEGER}` }
    server.refusals.push({ status: 206, headers })

    await expect(get(server, await tempProject())).rejects.toThrow('larger than any model')
  })

  test('sends more than it was asked for is not listened to for ever', async () => {
    const content = seededBytes(16 * KIB)
    const server = await fileServer(content)
    server.endless = true
    server.sendsLength = false

    const { path } = await get(server, await tempProject(), { sha256: sha256(content) })

    expect(readFileSync(path).equals(content)).toBe(true)
  })

  test('cannot send parts and breaks off each time leaves nothing on the disk', async () => {
    const server = await fileServer(seededBytes(40 * KIB))
    server.ranged = false
    server.cuts.push(...Array.from({ length: 10 }, () => 20 * KIB))
    const folder = await tempProject()

    await expect(get(server, folder)).rejects.toMatchObject({ code: 'model-unavailable' })

    expect(readdirSync(folder)).toEqual([])
  })

  test('names another hash half way has another file: it is begun anew', async () => {
    const [old, fresh] = [seededBytes(64 * KIB), seededBytes(64 * KIB)]
    const server = await fileServer(old)
    server.etag = undefined
    server.linked = sha256(old)
    server.onRequest = (count) => {
      if (count !== 3) return
      server.content = fresh
      server.linked = sha256(fresh)
    }

    const { path } = await get(server, await tempProject(), { connections: 1 })

    expect(readFileSync(path).equals(fresh)).toBe(true)
  })

  test('is to get a token no header can hold is not asked, and the token is not repeated', async () => {
    const server = await fileServer(seededBytes(1))

    const failure = await get(server, await tempProject(), { token: 'hunter2\nx' }).catch(
      (error) => error as AppError,
    )

    expect(failure).toMatchObject({ code: 'config-invalid' })
    expect(String(failure)).not.toContain('hunter2')
    expect(server.asked).toEqual([])
  })

  test('is not there at all is named', async () => {
    const url = new URL('http://127.0.0.1:1/model.gguf')
    const path = join(await tempProject(), 'model.gguf')

    const failure = download({ url, path, sleep: noWait }, never)

    await expect(failure).rejects.toThrow(/127\.0\.0\.1:1 cannot be reached/)
  })
})

describe('what an earlier try left', () => {
  test.each([
    ['without its bytes', undefined],
    ['with fewer bytes than it says', Buffer.alloc(8 * KIB)],
  ])('is not believed %s', async (_, left) => {
    const content = seededBytes(64 * KIB)
    const server = await fileServer(content)
    const folder = await tempProject()
    const note = { size: content.length, etag: '"one"', chunkBytes: 16 * KIB, written: [16 * KIB, 0, 0, 0] }
    await mkdir(join(folder, 'model.gguf.download'))
    await writeFile(join(folder, 'model.gguf.download', 'progress.json'), JSON.stringify(note))
    if (left) await writeFile(join(folder, 'model.gguf.download', 'data'), left)

    const { path } = await get(server, folder)

    expect(readFileSync(path).equals(content)).toBe(true)
  })
})

test('what a kill left beside a complete file is cleared away', async () => {
  const server = await fileServer(Buffer.from('new'))
  const folder = await tempProject({ 'model.gguf': 'old', 'model.gguf.download/progress.json': '{}' })

  await get(server, folder)

  expect(readdirSync(folder)).toEqual(['model.gguf'])
})

describe('two processes', () => {
  const child = async (server: FileServer, folder: string) => {
    const program = await childProgram(new URL('child.ts', import.meta.url))
    return spawn(process.execPath, [program, server.url.href, folder])
  }

  test('do not fetch the same file at once; a killed one leaves its bytes to the next', async () => {
    const content = seededBytes(200 * KIB)
    const server = await fileServer(content)
    const folder = await tempProject()
    const first = await child(server, folder)
    await once(first.stdout, 'data')

    await expect(get(server, folder)).rejects.toMatchObject({
      code: 'session-busy',
      message: `model.gguf is being downloaded by process ${first.pid}; wait for it, or stop it first.`,
    })
    first.kill('SIGKILL')
    await once(first, 'exit')
    const asked = server.asked.length
    const { path } = await get(server, folder, { sha256: sha256(content) })

    expect(readFileSync(path).equals(content)).toBe(true)
    expect(server.asked.length - asked).toBeLessThan(1 + Math.ceil(200 / 16))
    expect(readdirSync(folder)).toEqual(['model.gguf'])
  })
})
