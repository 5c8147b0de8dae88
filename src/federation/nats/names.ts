/**
 * What things are called on the broker, and what a machine must be allowed there. Every name holds the id of the
 * machine it belongs to, so that permissions by subject keep machines apart. Pure.
 */
import { shortHash } from '../../lib/hash.ts'

/** One word of a subject that is also valid in the name of a stream. */
export const PREFIX_PATTERN = /^[A-Za-z0-9_-]{1,40}$/

export type NatsNames = ReturnType<typeof natsNames>

export const natsNames = (prefix: string) => ({
  /** Work-queue streams: jobs for one machine, and jobs that any free machine may take. */
  jobs: `${prefix}_jobs`,
  queue: `${prefix}_queue`,
  results: `${prefix}_results`,
  /** Buckets: who is there, and bodies too large for a message. */
  nodes: `${prefix}_nodes`,
  bodies: `${prefix}_bodies`,
  job: (node: string) => `${prefix}.job.${node}`,
  queued: (line: string) => `${prefix}.queue.${line}`,
  live: (asker: string, job: string) => `${prefix}.live.${asker}.${job}`,
  result: (asker: string, name: string) => `${prefix}.result.${asker}.${name}`,
  cancel: (job: string) => `${prefix}.cancel.${job}`,
  /** That the machine which asked still waits, for the one that answers. */
  beat: (node: string, job: string) => `${prefix}.beat.${node}.${job}`,
  inbox: (node: string) => `_INBOX.${node}`,
})

/** The line in which jobs for a model wait; names of models hold what subjects may not. */
export const lineOf = (model: string): string => shortHash(model)

/** Where the server says that a stream was deleted. Anybody can say so: it is only a reason to look. */
export const deletedAdvisory = (stream: string): string => `$JS.EVENT.ADVISORY.STREAM.DELETED.${stream}`

type NatsPermissions = { readonly publish: readonly string[]; readonly subscribe: readonly string[] }

/**
 * What the machine `id` needs and nothing more: it may ask and answer everybody, but takes only its own jobs, reads
 * only its own results, and speaks in the registry only for itself.
 */
export function natsPermissions(prefix: string, id: string): NatsPermissions {
  const { jobs, queue, results, nodes, bodies, ...names } = natsNames(prefix)
  const api = '$JS.API'
  const streams = [jobs, queue, results, `KV_${nodes}`, `OBJ_${bodies}`]
  return {
    publish: [
      names.job('*'),
      names.queued('*'),
      names.live('*', '*'),
      names.result('*', '*'),
      names.cancel('*'),
      names.beat('*', '*'),
      `$KV.${nodes}.${id}.*`,
      `$O.${bodies}.>`,
      `${api}.INFO`,
      ...streams.flatMap((stream) => [`${api}.STREAM.INFO.${stream}`, `${api}.STREAM.CREATE.${stream}`]),
      `${api}.CONSUMER.CREATE.${jobs}.${id}.${names.job(id)}`,
      `${api}.CONSUMER.INFO.${jobs}.${id}`,
      `${api}.CONSUMER.MSG.NEXT.${jobs}.${id}`,
      `$JS.ACK.${jobs}.${id}.>`,
      `${api}.CONSUMER.CREATE.${queue}.>`,
      `${api}.CONSUMER.INFO.${queue}.*`,
      `${api}.CONSUMER.MSG.NEXT.${queue}.*`,
      `$JS.ACK.${queue}.>`,
      `${api}.DIRECT.GET.${results}.${names.result(id, '*')}`,
      ...[`KV_${nodes}`, `OBJ_${bodies}`].flatMap((stream) => [
        `${api}.CONSUMER.CREATE.${stream}.>`,
        `${api}.CONSUMER.DELETE.${stream}.*`,
        `${api}.DIRECT.GET.${stream}.>`,
        `${api}.STREAM.MSG.GET.${stream}`,
      ]),
      `${api}.STREAM.PURGE.OBJ_${bodies}`,
      '$JS.FC.>',
    ],
    subscribe: [
      names.live(id, '*'),
      names.cancel('*'),
      names.beat(id, '*'),
      `${names.inbox(id)}.>`,
      ...streams.map(deletedAdvisory),
    ],
  }
}

export type NatsUser = {
  readonly prefix: string
  readonly id: string
  readonly user: string
  readonly password: string
}

/** The same as an entry of `authorization.users` in the server's configuration. */
export function natsUser({ prefix, id, user, password }: NatsUser): string {
  const { publish, subscribe } = natsPermissions(prefix, id)
  const list = (subjects: readonly string[]) => subjects.map((subject) => `          "${subject}"\n`).join('')
  return `    {
      user: ${JSON.stringify(user)}
      password: ${JSON.stringify(password)}
      permissions: {
        publish: [
${list(publish)}        ]
        subscribe: [
${list(subscribe)}        ]
      }
    }
`
}
