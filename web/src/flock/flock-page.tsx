/** The flock at work: machines, votes as they happen, the queue between machines, and pairing. */
import type { ActivitySource, FlockView, JobQueue } from '../../../src/protocol/page.ts'
import { part } from '../api/call.ts'
import { useRemote } from '../api/use-remote.ts'
import { Vote } from '../chat/vote.tsx'
import { Empty, ErrorNote, Line } from '../ui/note.tsx'
import { Section, Table } from '../ui/table.tsx'
import { oneLine, when } from '../ui/text.ts'
import { Machines } from './machines.tsx'
import { Pairing } from './pairing.tsx'
import { ToolHosts } from './tool-hosts.tsx'
import { type LiveVote, useVotes } from './use-activity.ts'

const EVERY_MS = 2_000

export function FlockPage() {
  const { value: flock, error, reload } = useRemote<FlockView>('/v1/page/flock', EVERY_MS)
  const { votes } = useVotes()
  return (
    <>
      <h1>Flock</h1>
      <ErrorNote text={error ?? flock?.problem} />
      {flock && (
        <>
          <Machines flock={flock} />
          {!flock.isEnabled && (
            <section className="section">
              <Empty title="This machine works alone. Others can answer and vote with it:">
                <Line text="covey serve --federation --host ADDRESS" />
              </Empty>
            </section>
          )}
          <Votes votes={votes} swarm={flock.swarm} />
          {flock.queue && <Queue queue={flock.queue} />}
          <Pairing flock={flock} reload={reload} />
          <ToolHosts hosts={flock.toolHosts} />
        </>
      )}
    </>
  )
}

function Votes({ votes, swarm }: { votes: readonly LiveVote[]; swarm: FlockView['swarm'] }) {
  return (
    <Section
      title="Votes"
      aside={
        <span className="faint">
          mode {swarm.mode}, {swarm.workers} workers
        </span>
      }
    >
      {votes.length === 0 && (
        <Empty
          title={
            swarm.mode === 'off'
              ? 'Voting is off. This turns it on:'
              : 'No vote since the server started. Ask something in the chat, or the model covey/swarm over the API.'
          }
        >
          {swarm.mode === 'off' && <Line text="COVEY_SWARM__MODE=always covey serve" />}
        </Empty>
      )}
      {votes.map(({ key, at, source, vote, isBroken }) => (
        <div key={key} className="live-vote">
          <p className="faint">
            {when(at)} · <Asker source={source} />
          </p>
          <Vote vote={vote} isBroken={isBroken} />
        </div>
      ))}
    </Section>
  )
}

const Asker = ({ source }: { source: ActivitySource }) =>
  source.kind === 'session' ? (
    <a href={`#/chat/${part(source.id)}`}>open the session</a>
  ) : (
    <>
      asked over the API by <bdi>{oneLine(source.client) || 'another program'}</bdi>
    </>
  )

function Queue({ queue: { server, lines, results } }: { queue: JobQueue }) {
  return (
    <Section title="NATS queue" aside={<span className="faint">{oneLine(server)}</span>}>
      {lines.length === 0 ? (
        <p className="faint">No job waits. {results} results are kept.</p>
      ) : (
        <Table label="Jobs at the broker" head={['For', '#Jobs']}>
          {lines.map(({ name, jobs, isShared }) => (
            <tr key={`${name} ${isShared}`}>
              <td>{isShared ? `any machine with ${oneLine(name)}` : oneLine(name)}</td>
              <td className="count">{jobs}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}
