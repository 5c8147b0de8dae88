// A process whose disk refuses. Each case is a whole app in a folder of its own: from one call to the file system on,
// every call of a kind is refused with a code; then the disk is well again and the same session goes on. Prints a line
// of JSON for each case. `disk-child.ts CASES`: as many for each code, spread over all calls of a run without faults.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from '../../src/app/open.ts'
import type { SessionEvent } from '../../src/protocol/event.ts'
import type { AppSession } from '../../src/app/session.ts'

const { mkdtemp, writeFile, readFile, rm } = { ...fs.promises }

export type DiskCase = {
  readonly code: Code
  readonly at: number
  /** The call that was refused first; absent where nothing was. */
  readonly refused?: string
  /** What was thrown or told, and whether it was an error of ours. */
  readonly told: readonly { readonly message: string; readonly isNamed: boolean }[]
  /** How the run ended that the disk left in the lurch; absent where it could not begin. */
  readonly end?: string
  /** Of the prompt after the disk was well again, in the same session where there was one. */
  readonly endAfter: string
  /** Events that were published as kept and are not in the log. */
  readonly lost: readonly string[]
  readonly damage: readonly string[]
  /** What the run wrote into the project. */
  readonly written: string
  /** Sessions that cannot be opened though no process has them. */
  readonly stuck: readonly string[]
}

type Code = 'ENOSPC' | 'EROFS' | 'EMFILE' | 'EACCES'

const MAKING = ['mkdir', 'rename', 'copyFile', 'link', 'symlink', 'writeFile', 'appendFile']
const CHANGING = [...MAKING, 'unlink', 'rm', 'rmdir', 'chmod', 'utimes', 'truncate']
const HANDLE = ['write', 'writeFile', 'appendFile', 'writev']

const refuses: Readonly<Record<Code, (call: string, isForWriting: boolean) => boolean>> = {
  ENOSPC: (call, isForWriting) => MAKING.includes(call) || HANDLE.includes(call) || isForWriting,
  EROFS: (call, isForWriting) => CHANGING.includes(call) || isForWriting,
  EMFILE: (call) => ['open', 'readFile', 'readdir', 'opendir', 'writeFile', 'appendFile'].includes(call),
  EACCES: (call) => call === 'open' || call === 'readFile' || call === 'readdir' || CHANGING.includes(call),
}

const CODES = Object.keys(refuses) as readonly Code[]
const noCalls = () => ({ ENOSPC: 0, EROFS: 0, EMFILE: 0, EACCES: 0 })
const disk = {
  folder: '/nowhere',
  code: 'ENOSPC' as Code,
  /** How many calls each code would have refused so far. */
  calls: noCalls(),
  at: Number.POSITIVE_INFINITY,
  refused: '',
  /** Of `calls`, those up to the end of the run that the disk may leave in the lurch. */
  callsOfRun: noCalls(),
}

/** Throws where the call is to be refused. */
function ask(call: string, path: unknown, isForWriting = false): void {
  if (path !== undefined && !String(path).startsWith(disk.folder)) return
  for (const code of CODES) if (refuses[code](call, isForWriting)) disk.calls[code]++
  if (!refuses[disk.code](call, isForWriting) || disk.calls[disk.code] < disk.at) return
  disk.refused ||= `${call} ${String(path ?? '')}`
  const message = `${disk.code}: refused, ${call} '${String(path)}'`
  throw Object.assign(new Error(message), { code: disk.code, syscall: call })
}

const isWriting = (flags: unknown): boolean => typeof flags === 'string' && /[wa+]/.test(flags)

function breakDisk(): void {
  const promises = fs.promises as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const call of [...CHANGING, 'open', 'readFile', 'readdir', 'opendir']) {
    const real = promises[call]!
    promises[call] = async (...args) => {
      ask(call, args[0], call === 'open' && isWriting(args[1]))
      return real(...args)
    }
  }
  const { writeSync } = fs
  fs.writeSync = ((descriptor: number, ...rest: [Uint8Array]) => {
    if (descriptor > 2) ask('write', undefined)
    return writeSync(descriptor, ...rest)
  }) as typeof fs.writeSync
  syncBuiltinESMExports()
}

async function breakHandles(): Promise<void> {
  const handle = await fs.promises.open(process.execPath)
  const methods = Object.getPrototypeOf(handle) as Record<string, (...args: unknown[]) => unknown>
  await handle.close()
  for (const call of HANDLE) {
    const real = methods[call]!
    methods[call] = async function (...args) {
      ask(call, undefined)
      return real.apply(this, args)
    }
  }
}

breakDisk()
await breakHandles()
const { createApp } = await import('../../src/app/open.ts')
const { AppError } = await import('../../src/protocol/error.ts')
const { calls, createScriptedModel, says } = await import('../../src/provider/scripted.ts')
const { createSessionStore } = await import('../../src/session/store.ts')
const { isKept } = await import('../../src/session/log.ts')

const LONG = 'A line of a long file that goes to the result store.\n'.repeat(400)

const script = () =>
  createScriptedModel([
    [calls('write_file', { path: 'new.txt', content: LONG })],
    [calls('run_command', { command: 'cat long.txt' }), calls('read_file', { path: 'long.txt' })],
    // More than it is ever asked again for what a refused write left undone.
    ...Array.from({ length: 100 }, () => [says('All of it is done, as it was asked for.')]),
  ])

process.on('unhandledRejection', (error) => {
  process.stdout.write(`${JSON.stringify({ unhandled: String(error), at: disk.at, code: disk.code })}\n`)
})

const count = Number(process.argv[2] ?? 4)
await oneCase('ENOSPC', Number.POSITIVE_INFINITY)
const all = disk.callsOfRun
for (const code of CODES) {
  for (let number = 0; number < count; number++) {
    const found = await oneCase(code, 1 + Math.floor((number * all[code]) / count))
    process.stdout.write(`${JSON.stringify(found)}\n`)
  }
}

async function oneCase(code: Code, at: number): Promise<DiskCase> {
  const folder = await mkdtemp(join(tmpdir(), 'covey-disk-'))
  const project = join(folder, 'project')
  fs.mkdirSync(project)
  await writeFile(join(project, 'long.txt'), LONG)
  const told: { message: string; isNamed: boolean }[] = []
  const note = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    told.push({ message, isNamed: error instanceof AppError && !/^E[A-Z]+:/.test(message) })
  }
  Object.assign(disk, { folder, code, calls: noCalls(), at, refused: '' })
  const events: SessionEvent[] = []

  const begun = await begin(folder).catch(note)
  const end = begun && (await prompt(begun.session, events).catch(note))
  for (const event of events) if (event.type === 'error') note(new AppError(event.code, event.message))
  Object.assign(disk, { at: Number.POSITIVE_INFINITY, callsOfRun: { ...disk.calls } })
  const going = begun ?? (await begin(folder))
  const endAfter = await prompt(going.session, events)
  await going.session.close()
  await going.app.close()

  const found = await look(folder, going.session.id, events)
  await rm(folder, { recursive: true })
  return {
    code,
    at,
    ...(disk.refused && { refused: disk.refused.replace(folder, '') }),
    told,
    ...(end && { end }),
    endAfter,
    ...found,
  }
}

async function begin(folder: string): Promise<{ app: App; session: AppSession }> {
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: join(folder, 'data') }
  const cwd = join(folder, 'project')
  const app = await createApp({ env, cwd, model: script(), permission: 'bypass', probe: false })
  try {
    return { app, session: await app.openSession({ resume: 'new', canAsk: false }) }
  } catch (error) {
    await app.close()
    throw error
  }
}

async function prompt(session: AppSession, events: SessionEvent[]): Promise<string> {
  const stop = new AbortController()
  const watching = session.events({ signal: stop.signal })
  const { runId } = await session.prompt('Write new.txt, then read long.txt.')
  try {
    for await (const event of watching) {
      events.push(event)
      if (event.type === 'run-end' && event.runId === runId) return event.reason
    }
    return 'no end'
  } finally {
    stop.abort()
  }
}

async function look(folder: string, id: string, events: readonly SessionEvent[]) {
  const sessions = join(folder, 'data', 'covey', 'sessions')
  const store = createSessionStore({ folder: sessions })
  const opened = await store.open(id, { cwd: folder, system: '' })
  const ids = new Set<number>()
  for await (const records of opened.log.read())
    for (const record of records) if (record.type === 'event') ids.add(record.id)
  await opened.close()
  // The last events of a run are published even where they cannot be kept.
  const mayBeLost = new Set(['error', 'run-end'])
  const lost = events.filter((event) => isKept(event) && !ids.has(event.id) && !mayBeLost.has(event.type))
  const stuck: string[] = []
  for (const info of await store.list()) {
    await store.open(info.id, { cwd: folder, system: '' }).then(
      (each) => each.close(),
      () => stuck.push(info.id),
    )
  }
  const text = await readFile(join(folder, 'project', 'new.txt'), 'utf8').catch(() => undefined)
  return {
    lost: lost.map(({ type }) => type),
    damage: opened.damage,
    written: text === undefined ? 'nothing' : text === LONG ? 'all' : `${text.length} characters of it`,
    stuck,
  }
}
