/**
 * What the broker keeps: jobs until they are done, results until they are old, who is there until it falls silent, and
 * large bodies. All of it in files, so that a broker that is killed has it again when it starts. Made where it is
 * missing; what an administrator made before is taken as it is.
 */
import {
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  JetStreamApiError,
  type PubAck,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { type ObjectStore, Objm } from '@nats-io/obj'
import { type NatsConnection, nanos, RequestError } from '@nats-io/transport-node'
import { AppError } from '../../protocol/error.ts'
import { isWithoutJetStream } from './connection.ts'
import { deletedAdvisory, type NatsNames } from './names.ts'

export type NatsStore = {
  readonly js: JetStreamClient
  readonly jsm: JetStreamManager
  readonly nodes: KV
  readonly bodies: ObjectStore
  /** Into a stream; where there is none any more it is made again first. */
  publish(subject: string, data: Uint8Array, options: PublishOptions): Promise<PubAck>
  /** Again, where a broker came back without its files, or they were deleted. */
  ensure(): Promise<void>
  /** What was opened in a stream that is gone must be opened again. */
  onRecreated(action: () => void): void
}

type PublishOptions = { readonly msgID: string; readonly timeout: number }

export type StoreTimes = {
  /** The longest wait for a job, and for its result. */
  readonly keepMs: number
  /** A result is read within moments, or after a reconnect before the time is up. */
  readonly resultMs: number
  /** A machine that has not spoken for so long is gone. */
  readonly goneMs: number
}

export async function openStore(
  connection: NatsConnection,
  names: NatsNames,
  times: StoreTimes,
): Promise<NatsStore> {
  const jsm = await jetstreamManager(connection, { timeout: REQUEST_MS })
  const wanted = streams(names, times)
  const onRecreated = new Set<() => void>()
  /** When each was made: one that another machine made again meanwhile is a new one as well. */
  const made = new Map<string, string>()
  const ensure = shareCalls(async () => {
    let isNew = false
    for (const config of wanted) {
      const created = await ensureStream(jsm, config)
      isNew ||= made.get(config.name) !== created
      made.set(config.name, created)
    }
    if (isNew) for (const action of onRecreated) action()
  })
  await ensure()
  const js = jetstream(connection)
  watchDeletions(connection, wanted, () => void ensure().catch(() => undefined))
  return {
    js,
    jsm,
    nodes: await new Kvm(connection).open(names.nodes),
    bodies: await new Objm(connection).open(names.bodies),
    async publish(subject, data, options) {
      return js.publish(subject, data, options).catch(async (error: unknown) => {
        if (!isUnheard(error)) throw error
        await ensure()
        return js.publish(subject, data, options)
      })
    },
    ensure,
    onRecreated: (action) => void onRecreated.add(action),
  }
}

/** The server answers but the subject has no listener: the stream is gone. */
const isUnheard = (error: unknown): boolean =>
  (error instanceof RequestError && error.isNoResponders()) ||
  (isWithoutJetStream(error) && error.cause instanceof RequestError)

/** Concurrent callers share one run; any client on the bus can trigger a call. */
function shareCalls(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined
  return () => {
    current ??= work().finally(() => (current = undefined))
    return current
  }
}

/** A message there is only a reason to look, and not more often than this. */
function watchDeletions(connection: NatsConnection, wanted: readonly Wanted[], look: () => void): void {
  let due: NodeJS.Timeout | undefined
  const callback = () => {
    due ??= setTimeout(() => {
      due = undefined
      if (!connection.isClosed()) look()
    }, LOOK_MS).unref()
  }
  for (const { name } of wanted) connection.subscribe(deletedAdvisory(name), { callback })
}

const LOOK_MS = 100

/** For a broker at the other end of the world, behind a slow line. */
const REQUEST_MS = 20_000

type Wanted = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'subjects'>

function streams(names: NatsNames, { keepMs, goneMs, resultMs }: StoreTimes): readonly Wanted[] {
  const common = { storage: StorageType.File, max_age: nanos(keepMs) }
  const work = {
    ...common,
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_bytes: 256 * MEGABYTE,
  }
  return [
    { ...work, name: names.jobs, subjects: [names.job('*')] },
    { ...work, name: names.queue, subjects: [names.queued('*')] },
    {
      ...common,
      name: names.results,
      subjects: [names.result('*', '*')],
      max_age: nanos(resultMs),
      max_bytes: 512 * MEGABYTE,
      allow_direct: true,
      // The first result under a name stays: it can be neither replaced nor pushed out.
      max_msgs_per_subject: 1,
      discard: DiscardPolicy.New,
      discard_new_per_subject: true,
      // As long as a result is kept, a second one for the same job is not.
      duplicate_window: nanos(resultMs),
    },
    {
      ...common,
      name: `KV_${names.nodes}`,
      subjects: [`$KV.${names.nodes}.>`],
      max_age: nanos(goneMs),
      max_bytes: 64 * MEGABYTE,
      max_msgs_per_subject: 1,
      allow_direct: true,
      allow_rollup_hdrs: true,
      deny_delete: true,
      discard: DiscardPolicy.New,
    },
    {
      ...common,
      name: `OBJ_${names.bodies}`,
      subjects: [`$O.${names.bodies}.C.>`, `$O.${names.bodies}.M.>`],
      max_bytes: 1024 * MEGABYTE,
      allow_direct: true,
      allow_rollup_hdrs: true,
      discard: DiscardPolicy.New,
    },
  ]
}

const MEGABYTE = 2 ** 20

/** Returns when it was made. */
async function ensureStream(jsm: JetStreamManager, wanted: Wanted): Promise<string> {
  try {
    const { config, created } = await jsm.streams.info(wanted.name)
    requireSubjects(wanted, config.subjects)
    return created
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.status !== 404) throw error
    const { created } = await jsm.streams.add(wanted).catch((failure: unknown) => {
      // Another machine created it in between, with the settings of another version.
      if (!(failure instanceof JetStreamApiError) || failure.code !== IN_USE) throw failure
      return jsm.streams.info(wanted.name)
    })
    return created
  }
}

/** A stream of this name with other subjects would silently receive nothing. */
function requireSubjects({ name, subjects }: Wanted, there: readonly string[]): void {
  if (subjects.every((subject) => there.includes(subject))) return
  const message =
    `The stream ${name} on the NATS server takes ${there.join(', ') || 'nothing'} instead of ${subjects.join(', ')}; ` +
    `delete it with \`nats stream rm ${name}\`, or set another federation.nats.prefix.`
  throw new AppError('config-invalid', message)
}

const IN_USE = 10_058
