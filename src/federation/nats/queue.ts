/** What waits at the broker right now. Jobs being answered count as well: they leave when they are done. */
import type { JobQueue } from '../../protocol/page.ts'
import { lineOf, type NatsNames } from './names.ts'
import type { NatsStore } from './streams.ts'

type Known = {
  readonly server: string
  /** By the fingerprint of their keys. */
  readonly machines: readonly { readonly id: string; readonly name: string }[]
  readonly models: readonly string[]
}

export async function readQueue(
  { jsm }: Pick<NatsStore, 'jsm'>,
  names: NatsNames,
  { server, machines, models }: Known,
): Promise<JobQueue> {
  const counts = async (stream: string): Promise<readonly (readonly [string, number])[]> => {
    const { state } = await jsm.streams.info(stream, { subjects_filter: '>' })
    return Object.entries(state.subjects ?? {}).map(([subject, jobs]) => [subject, jobs])
  }
  const [jobs, queued, results] = await Promise.all([
    counts(names.jobs),
    counts(names.queue),
    jsm.streams.info(names.results),
  ])
  const nameOf = (subject: string) =>
    machines.find(({ id }) => names.job(id) === subject)?.name ?? subject.slice(-8)
  const lineName = (subject: string) =>
    models.find((model) => names.queued(lineOf(model)) === subject) ?? 'another model'
  return {
    server,
    lines: [
      ...jobs.map(([subject, count]) => ({ name: nameOf(subject), jobs: count, isShared: false })),
      ...queued.map(([subject, count]) => ({ name: lineName(subject), jobs: count, isShared: true })),
    ],
    results: results.state.messages,
  }
}
