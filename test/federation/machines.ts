/** Machines on loopback, each with a data folder of its own and real TLS between them; fifty times faster than life. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readInviteCode, writeInviteCode } from '../../src/federation/invite-code.ts'
import { joinPeer } from '../../src/federation/join.ts'
import { type Lan, type LanFiles, lanFiles, openLan } from '../../src/federation/lan/open.ts'
import type { MachineReport, Offer } from '../../src/federation/machine.ts'
import type { LanTiming } from '../../src/federation/timing.ts'
import type { Message } from '../../src/protocol/message.ts'
import type { Model, ModelEvent, ModelRequest } from '../../src/protocol/model.ts'

export const NEVER: AbortSignal = new AbortController().signal

export const quick: LanTiming = {
  healthMs: 100,
  goneMs: 600,
  dialMs: 2_000,
  answerMs: 2_000,
  beatMs: 40,
  stallMs: 1_000,
}

export type TestMachine = {
  readonly lan: Lan
  readonly files: LanFiles
  readonly folder: string
  readonly port: number
  readonly address: string
  /** What it was asked. */
  readonly asked: ModelRequest[]
}

export type MachineOptions = {
  readonly name?: string
  readonly peers?: readonly string[]
  readonly timing?: Partial<LanTiming>
  readonly answer?: Offer['answer']
  readonly report?: Partial<MachineReport>
  readonly now?: () => number
}

export async function startMachine(options: MachineOptions = {}): Promise<TestMachine> {
  const folder = await tempFolder()
  const lan = await openLan({
    dataFolder: folder,
    name: options.name ?? 'same',
    discover: false,
    timing: { ...quick, ...options.timing },
    ...(options.peers && { peers: options.peers }),
    ...(options.now && { now: options.now }),
  })
  onTestFinished(() => lan.close())
  const asked: ModelRequest[] = []
  const { port } = await lan.listen(
    { host: '127.0.0.1', port: 0 },
    {
      report: () => reportOf(options),
      answer(model, request, signal) {
        asked.push(request)
        return options.answer?.(model, request, signal) ?? saying('hello')
      },
    },
  )
  return { lan, files: lanFiles(folder, options.now), folder, port, address: `127.0.0.1:${port}`, asked }
}

const reportOf = ({ name = 'same', report }: MachineOptions): MachineReport => ({
  name,
  waiting: 0,
  running: 0,
  freeMemory: 1,
  models: [{ id: 'm', window: 8_192, vision: false }],
  ...report,
})

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'covey-federation-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function* saying(text: string): AsyncGenerator<ModelEvent> {
  yield { type: 'text-delta', text }
  yield { type: 'finish', reason: 'stop' }
}

export async function invite({ files, port }: TestMachine): Promise<string> {
  const { id } = await files.identity()
  return writeInviteCode({ secret: await files.invites.create(), id, port, addresses: ['127.0.0.1'] })
}

export async function joinWith(machine: TestMachine, code: string) {
  const { files, port } = machine
  const identity = await files.identity()
  // Patient: who pairs writes to the disk, and that takes as long as it takes.
  const timing = { ...quick, dialMs: 10_000, answerMs: 10_000 }
  const parts = { identity, name: 'joiner', book: files.book, timing, port }
  return joinPeer(readInviteCode(code), parts, NEVER)
}

/** Both know each other and have heard of each other. */
export async function pairUp(one: TestMachine, other: TestMachine): Promise<void> {
  await joinWith(other, await invite(one))
  await Promise.all([one.lan.look(), other.lan.look()])
}

export const questionOf = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  runId: 'run',
  sessionId: 'session',
  turn: 1,
  system: '',
  messages: [{ role: 'user', text } satisfies Message],
  tools: [],
  ...more,
})

export async function hear(
  model: Model,
  request: ModelRequest = questionOf('hi'),
  signal: AbortSignal = NEVER,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(request, signal)) events.push(event)
  return events
}
