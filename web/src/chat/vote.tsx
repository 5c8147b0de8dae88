/** A vote: each worker with what it proposes and whether that counts, then the groups, and who won and why. */
import type { VoteGroup, VoteReport } from '../../../src/protocol/vote.ts'
import type { VoteItem, VoteRow } from '../../../src/view/view.ts'
import { oneLine, percent, plural, thousands } from '../ui/text.ts'

/** `isBroken`: it ended before there was a result. */
export function Vote({ vote, isBroken = false }: { vote: VoteItem; isBroken?: boolean }) {
  const { why, workers, report } = vote
  const answered = workers.filter(({ shows, discarded }) => (shows ?? discarded) !== undefined).length
  return (
    <section className="card vote" aria-label="Vote">
      <header>
        <strong>Vote</strong>
        <span className="faint">{oneLine(why)}</span>
        <span className="tag">
          {report
            ? outcome(report)
            : `${answered} of ${workers.length} answered${isBroken ? ', then stopped' : ''}`}
        </span>
      </header>
      <ul className="workers">
        {workers.map((row) => (
          <Worker key={row.worker} row={row} report={report} isBroken={isBroken} />
        ))}
      </ul>
      {report && <Groups report={report} />}
    </section>
  )
}

/** What became of one worker: at work, missing, without a vote, or a vote for something. */
function fateOf({ worker, shows, discarded }: VoteRow, report: VoteReport | undefined, isBroken: boolean) {
  const missing = report?.missing.find((one) => one.worker === worker)
  if (missing) return { state: 'failed', text: `no answer: ${missing.why}` } as const
  const left = report?.discarded.find((one) => one.worker === worker)
  if (left ?? discarded) return { state: 'failed', text: `no vote: ${left?.why ?? discarded}` } as const
  if (shows === undefined && isBroken) return { state: 'failed', text: 'stopped' } as const
  if (shows === undefined) return { state: 'running', text: 'at work' } as const
  return { state: 'ok', text: report?.winner === worker ? 'its reply is taken' : 'votes' } as const
}

type WorkerProps = {
  readonly row: VoteRow
  readonly report: VoteReport | undefined
  readonly isBroken: boolean
}

function Worker({ row, report, isBroken }: WorkerProps) {
  const { state, text } = fateOf(row, report, isBroken)
  const usage = report?.usage[row.worker]
  return (
    <li className={report?.winner === row.worker ? 'winner' : ''}>
      <span className={`state ${state}`} role="img" aria-label={state} />
      <bdi className="name">{oneLine(row.worker)}</bdi>
      <code>{row.shows === undefined ? '' : oneLine(row.shows)}</code>
      <span className="faint">
        {oneLine(text)}
        {usage && usage.prompt + usage.completion > 0
          ? ` · ${thousands(usage.prompt + usage.completion)} tokens`
          : ''}
      </span>
    </li>
  )
}

const DECIDERS = {
  vote: 'the vote decided',
  arbiter: 'the arbiter decided',
  first: 'the first answer was taken',
  person: 'you decide',
} as const

const outcome = ({ state, decider, confidence }: VoteReport): string =>
  state === 'elected' ? `elected, ${percent(confidence)}` : `${state}: ${DECIDERS[decider]}`

function Groups({ report }: { report: VoteReport }) {
  const all = report.votes.reduce((sum, { workers }) => sum + workers.length, 0)
  return (
    <div className="groups">
      {report.votes.map((group, index) => (
        <Group key={index} group={group} all={all} isFirst={index === 0} />
      ))}
      <p className="faint">
        {DECIDERS[report.decider]}
        {report.winner === undefined ? '' : `: ${oneLine(report.winner)}`}, after{' '}
        {plural(report.rounds, 'round')}
      </p>
    </div>
  )
}

function Group({ group, all, isFirst }: { group: VoteGroup; all: number; isFirst: boolean }) {
  const { workers, shows, effect } = group
  return (
    <div className={isFirst ? 'group first' : 'group'}>
      <meter min={0} max={all} value={workers.length} aria-label={`${workers.length} of ${all} votes`} />
      <span>{plural(workers.length, 'vote')}</span>
      <code>{oneLine(shows)}</code>
      {effect !== 'read' && (
        <span className="tag">{effect === 'write' ? 'changes files' : 'cannot be undone'}</span>
      )}
    </div>
  )
}
