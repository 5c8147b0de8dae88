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
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { type ObjectStore, Objm } from '@nats-io/obj'
import { type NatsConnection, nanos } from '@nats-io/transport-node'
import type { NatsNames } from './nats-names.ts'

export type NatsStore = {
  readonly js: JetStreamClient
  readonly jsm: JetStreamManager
  readonly nodes: KV
  readonly bodies: ObjectStore
  /** Again, where a broker came back without its files. */
  ensure(): Promise<void>
}

export type StoreTimes = {
  /** Nobody waits longer than this for a job, nor for its result. */
  readonly keepMs: number
  /** A machine that has not spoken for so long is gone. */
  readonly goneMs: number
}

export async function openStore(
  connection: NatsConnection,
  names: NatsNames,
  times: StoreTimes,
): Promise<NatsStore> {
  const jsm = await jetstreamManager(connection, { timeout: REQUEST_MS })
  const ensure = async () => {
    for (const config of streams(names, times)) await ensureStream(jsm, config)
  }
  await ensure()
  return {
    js: jetstream(connection),
    jsm,
    nodes: await new Kvm(connection).open(names.nodes),
    bodies: await new Objm(connection).open(names.bodies),
    ensure,
  }
}

/** For a broker at the other end of the world, behind a slow line. */
const REQUEST_MS = 20_000

type Wanted = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'subjects'>

function streams(names: NatsNames, { keepMs, goneMs }: StoreTimes): readonly Wanted[] {
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
      max_bytes: 512 * MEGABYTE,
      allow_direct: true,
      // As long as a result is kept, a second one for the same job is not.
      duplicate_window: nanos(keepMs),
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

async function ensureStream(jsm: JetStreamManager, config: Wanted): Promise<void> {
  try {
    await jsm.streams.info(config.name)
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.status !== 404) throw error
    await jsm.streams.add(config).catch((failure: unknown) => {
      // Somebody else made it in between, by another version's measures.
      if (!(failure instanceof JetStreamApiError) || failure.code !== IN_USE) throw failure
    })
  }
}

const IN_USE = 10_058
