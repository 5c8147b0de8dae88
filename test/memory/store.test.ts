/** Facts that outlive a session: what is kept, found, replaced, refused, and what survives. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFiles } from '../../src/guard/paths/files.ts'
import { createFirewall } from '../../src/guard/secrets/firewall.ts'
import { childProgram } from '../support/child.ts'
import { memoryIn, tempDatabase, textsOf } from './memories.ts'

const person = { source: 'person' } as const

describe('what is kept', () => {
  test('is found in a later session, with everything known about it', async () => {
    const path = tempDatabase()
    const first = await memoryIn(path)
    await first.add({ text: 'decision: the shop stays on Node 20', ...person })
    await first.close()

    const recalled = await (await memoryIn(path)).recall('which node version?')

    expect(recalled.map(({ fact }) => fact)).toEqual([
      {
        id: 1,
        kind: 'decision',
        text: 'the shop stays on Node 20',
        isGlobal: false,
        source: 'person',
        addedAt: Date.UTC(2026, 0, 1, 0, 0, 1),
        usedAt: Date.UTC(2026, 0, 1, 0, 0, 1),
        uses: 0,
      },
    ])
  })

  test('is readable by no other user', async () => {
    const path = tempDatabase()
    await (await memoryIn(path)).add({ text: 'The port is 80', ...person })

    expect(statSync(path).mode & 0o077).toBe(0)
  })

  test('belongs to its project, unless it holds everywhere', async () => {
    const path = tempDatabase()
    const shop = await memoryIn(path)
    const blog = await memoryIn(path, { project: '/home/ada/blog' })
    await shop.add({ text: 'The linter is Biome', ...person })
    await blog.add({ text: 'The linter is Oxlint', ...person })
    await shop.add({ text: 'Linter warnings are errors', isGlobal: true, ...person })

    expect(await textsOf(shop, 'linter')).toEqual(['The linter is Biome', 'Linter warnings are errors'])
    expect(await textsOf(blog, 'linter')).toEqual(['The linter is Oxlint', 'Linter warnings are errors'])
  })

  test('said again only counts as used again', async () => {
    const memory = await memoryIn()
    await memory.add({ text: 'The linter is Biome.', ...person })

    const again = await memory.add({ text: 'the linter is  biome', ...person })

    expect(again).toMatchObject({ outcome: 'known', fact: { id: 1, uses: 1 }, replaced: [] })
    expect(await memory.list()).toHaveLength(1)
  })

  test('of two that fit equally the one used more comes first', async () => {
    const memory = await memoryIn()
    const { fact } = await memory.add({ text: 'Alice knows the parser', ...person })
    await memory.add({ text: 'Boris knows the parser', ...person })

    await memory.used([fact])

    expect(await textsOf(memory, 'who knows the parser?')).toEqual([
      'Alice knows the parser',
      'Boris knows the parser',
    ])
  })

  test('has a bound: what was superseded goes first, then what is used least', async () => {
    const memory = await memoryIn(undefined, { keep: 250 })
    await memory.add({ text: 'The port is 1', ...person })
    const { fact } = await memory.add({ text: 'The port is 2', ...person })
    await memory.used([fact])

    for (let count = 3; count <= 256; count++)
      await memory.add({ text: `Animal ${count} eats grass`, ...person })

    const ids = (await memory.list()).map(({ id }) => id)
    expect(ids).toHaveLength(250)
    expect(ids.slice(0, 2)).toEqual([2, 8])
  })
})

describe('a fact that contradicts an older one', () => {
  test('takes its place; the older one stays, marked, and is not recalled', async () => {
    const memory = await memoryIn()
    await memory.add({ text: 'The API listens on port 8080', ...person })

    const added = await memory.add({ text: 'The API listens on port 9090', ...person })

    expect(added.replaced).toEqual([1])
    expect(await textsOf(memory, 'which port does the API use?')).toEqual(['The API listens on port 9090'])
    expect((await memory.list()).map(({ id, supersededBy }) => [id, supersededBy])).toEqual([
      [1, 2],
      [2, undefined],
    ])
  })

  test('may be taken back by saying the older one again', async () => {
    const memory = await memoryIn()
    await memory.add({ text: 'Use yarn', ...person })
    await memory.add({ text: 'Do not use yarn', ...person })

    await memory.add({ text: 'Use yarn', ...person })

    expect(await textsOf(memory, 'yarn')).toEqual(['Use yarn'])
  })
})

describe('what is removed', () => {
  test('is gone, words and all, and its id is never given again', async () => {
    const path = tempDatabase()
    const memory = await memoryIn(path)
    await memory.add({ text: 'The zebra is called Olga', ...person })
    expect(bytesAt(path)).toContain('zebra')

    expect(await memory.remove(1)).toBe(true)
    expect(await memory.remove(1)).toBe(false)

    expect(await textsOf(memory, 'zebra')).toEqual([])
    expect(await memory.list()).toEqual([])
    expect(bytesAt(path)).not.toMatch(/zebra|olga/i)
    expect((await memory.add({ text: 'The lion is called Emil', ...person })).fact.id).toBe(2)
  })
})

/** Everything that lies where the database is, log and all. */
const bytesAt = (path: string): string =>
  readdirSync(dirname(path), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(dirname(path), name), 'latin1'))
    .join('')

test('a fact of another project cannot be removed', async () => {
  const path = tempDatabase()
  const shop = await memoryIn(path)
  const blog = await memoryIn(path, { project: '/home/ada/blog' })
  await shop.add({ text: 'The zebra is called Olga', ...person })

  expect(await blog.remove(1)).toBe(false)
  expect(await textsOf(shop, 'zebra')).toEqual(['The zebra is called Olga'])
})

describe('a secret', () => {
  test('is refused by its kind and leaves nothing behind', async () => {
    const path = tempDatabase()
    const memory = await memoryIn(path, {
      refuse: async (text) => (text.includes('hunter2') ? 'password' : undefined),
    })

    await expect(memory.add({ text: 'The password is hunter2', ...person })).rejects.toThrow(
      'not stored: it holds a secret (password)',
    )

    await memory.close()
    expect(readFileSync(path).includes('hunter2')).toBe(false)
  })

  test('is found by the firewall', async () => {
    const firewall = createFirewall({ files: createFiles({ root: '/' }) })
    const memory = await memoryIn(undefined, {
      refuse: async (text) => firewall.secretsIn(await firewall.outgoing(text))[0]?.kind,
    })
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`

    await expect(memory.add({ text: `The token is ${token}`, ...person })).rejects.toThrow(
      'it holds a secret (github',
    )
    expect((await memory.add({ text: 'The token is in Vault', ...person })).outcome).toBe('stored')
  })

  test('is refused as a placeholder, too', async () => {
    const memory = await memoryIn()

    await expect(memory.add({ text: 'The key is [secret:aws-key:k3f9:1]', ...person })).rejects.toThrow(
      'aws-key',
    )
  })
})

describe('the question', () => {
  test('finds words that were written otherwise, or misspelt', async () => {
    const memory = await memoryIn()
    await memory.add({ text: 'maxRetryCount limits the uploader', ...person })
    await memory.add({ text: 'The schema lives in PostgreSQL', ...person })
    await memory.add({ text: 'Ship on Tuesdays', ...person })

    expect((await textsOf(memory, 'max retry count'))[0]).toBe('maxRetryCount limits the uploader')
    expect(await textsOf(memory, 'postgress')).toEqual(['The schema lives in PostgreSQL'])
    expect(await textsOf(memory, 'when do we deploy?')).toEqual(['Ship on Tuesdays'])
  })

  test.each(['', '"', 'a AND (', 'words : x*', '🦓', 'NEAR(a b)', "'; DROP TABLE fact; --"])(
    'may be anything: %s',
    async (query) => {
      const memory = await memoryIn()
      await memory.add({ text: 'The port is 80', ...person })

      expect(await textsOf(memory, query)).toEqual([])
    },
  )
})

test('a very long question is answered by its beginning', async () => {
  const memory = await memoryIn()
  await memory.add({ text: 'The zebra is called Olga', ...person })
  const question = `What is the zebra called? ${Array.from({ length: 3000 }, (_, index) => `error${index}`).join(' ')}`

  expect(await textsOf(memory, question)).toEqual(['The zebra is called Olga'])
})

describe('the file', () => {
  test('that is not a database is moved away, and a new one begun with a warning', async () => {
    const path = tempDatabase()
    writeFileSync(path, 'this is not a database, it only lies where one should be'.repeat(100))
    const warnings: string[] = []

    const memory = await memoryIn(path, { warn: (message) => warnings.push(message) })
    await memory.add({ text: 'The port is 80', ...person })

    expect(warnings).toEqual([
      expect.stringMatching(/is damaged. It was kept as .*damaged-\d+ and a new one was begun/),
    ])
    expect(await textsOf(memory, 'port')).toEqual(['The port is 80'])
    expect(readdirSync(dirname(path)).some((name) => name.includes('.damaged-'))).toBe(true)
  })

  test('that is damaged in part gives what can be read, under new ids', async () => {
    const path = tempDatabase()
    const first = await memoryIn(path)
    for (let count = 1; count <= 100; count++)
      await first.add({ text: `Animal ${count} eats grass`, ...person })
    await first.close()
    const bytes = readFileSync(path)
    bytes.fill(0x5a, bytes.length - 8192)
    writeFileSync(path, bytes)

    const memory = await memoryIn(path)
    const ids = [(await memory.add({ text: 'A new one', ...person })).fact.id]

    expect(Math.min(...ids)).toBeGreaterThan(100)
    expect((await memory.list()).length).toBeGreaterThan(1)
  })

  test('gives the rest where one fact makes no sense, however far apart their numbers are', async () => {
    const path = tempDatabase()
    const memory = await memoryIn(path)
    for (const animal of ['zebra', 'lion', 'gnu'])
      await memory.add({ text: `A ${animal} is here`, ...person })
    const { default: Libsql } = await import('libsql')
    const database = new Libsql(path)
    database.exec("UPDATE fact SET text = ' ' WHERE id = 2; UPDATE fact SET id = 900000000 WHERE id = 3")
    database.exec("UPDATE sqlite_sequence SET seq = 900000000 WHERE name = 'fact'")
    database.exec("UPDATE fact_words_data SET block = x'5a5a5a5a5a5a5a5a'")
    database.close()

    expect(await textsOf(memory, 'which animal is here? zebra lion gnu')).toEqual([
      'A gnu is here',
      'A zebra is here',
    ])
    expect((await memory.add({ text: 'A new one', ...person })).fact.id).toBeGreaterThan(900_000_000)
  })

  test('that was deleted while it was open is begun anew, and what is added then is found', async () => {
    const path = tempDatabase()
    const memory = await memoryIn(path)
    await memory.add({ text: 'The zebra is called Olga', ...person })
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })

    await memory.add({ text: 'The lion is called Emil', ...person })

    const texts = (await (await memoryIn(path)).list()).map(({ text }) => text)
    expect(texts).toEqual(['The lion is called Emil'])
  })

  test('whose word index alone is damaged is built anew from the facts', async () => {
    const path = tempDatabase()
    const memory = await memoryIn(path)
    await memory.add({ text: 'The zebra is called Olga', ...person })
    const { default: Libsql } = await import('libsql')
    const database = new Libsql(path)
    database.exec("UPDATE fact_words_data SET block = x'5a5a5a5a5a5a5a5a'")
    database.close()

    expect(await textsOf(memory, 'zebra')).toEqual(['The zebra is called Olga'])
  })

  test('of a newer covey is left alone', async () => {
    const path = tempDatabase()
    await (await memoryIn(path)).close()
    const { default: Libsql } = await import('libsql')
    const database = new Libsql(path)
    database.exec('PRAGMA user_version = 99')
    database.close()

    await expect(memoryIn(path)).rejects.toThrow('was made by a newer covey')
  })

  test('is shared: what one writes the other finds', async () => {
    const path = tempDatabase()
    const [one, other] = [await memoryIn(path), await memoryIn(path)]

    await one.add({ text: 'The zebra is called Olga', ...person })

    expect(await textsOf(other, 'zebra')).toEqual(['The zebra is called Olga'])
  })

  test('keeps what was acknowledged when the process is killed', async () => {
    const path = tempDatabase()
    const acknowledged = await addUntilKilled(path, 20)

    const memory = await memoryIn(path)

    const texts = new Set((await memory.list()).map(({ text }) => text))
    expect(acknowledged.length).toBeGreaterThanOrEqual(20)
    expect(acknowledged.filter((text) => !texts.has(text))).toEqual([])
  })
})

/** A process that adds facts and says so, killed once it has said so often enough. */
async function addUntilKilled(path: string, least: number): Promise<readonly string[]> {
  const script = await childProgram(new URL('add-forever.ts', import.meta.url))
  const child = spawn(process.execPath, [script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    if (output.split('\n').length > least) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return output.split('\n').slice(0, -1)
}
