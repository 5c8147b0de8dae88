/** Every model that can answer, what the router has learnt about it, and why the last runs went where they went. */
import { useMemo } from 'react'
import type { ArmLine, ArmsView } from '../../../src/protocol/page.ts'
import type { TaskStats } from '../../../src/protocol/routing.ts'
import { call } from '../api/call.ts'
import { useAction, useRemote } from '../api/use-remote.ts'
import { Act } from '../ui/act.tsx'
import { Empty, ErrorNote } from '../ui/note.tsx'
import { Section, Table } from '../ui/table.tsx'
import { oneLine, percent, thousands } from '../ui/text.ts'
import { Decisions } from './decisions.tsx'
import { Plot } from './plot.tsx'

const EVERY_MS = 5_000

export function ArmsPage() {
  const { value, error, reload } = useRemote<ArmsView>('/v1/page/arms', EVERY_MS)
  return (
    <>
      <h1>Arms</h1>
      <p className="faint">{value ? oneLine(value.name) : ''}</p>
      <ErrorNote text={error} />
      {value && (
        <>
          <Arms arms={value.arms} />
          <Learnt view={value} reload={reload} />
          <Plots view={value} />
          {value.pools.length > 0 && <Pools pools={value.pools} />}
          <Decisions decisions={value.decisions} />
        </>
      )}
    </>
  )
}

const ARM_HEAD = [
  'Arm',
  'Where',
  '#Window',
  'Calls',
  'Edits',
  '#Requests',
  '#First token',
  '#Tokens/s',
  '#From cache',
]

const Arms = ({ arms }: { arms: readonly ArmLine[] }) => (
  <Section title="Who can answer">
    <Table label="Arms" head={ARM_HEAD}>
      {arms.map((arm) => (
        <tr key={arm.id}>
          <th scope="row">
            <code>{oneLine(arm.id)}</code>
          </th>
          <td>{arm.isLocal ? 'here' : 'elsewhere'}</td>
          <td className="count" title={arm.windowFrom}>
            {thousands(arm.window)}
          </td>
          <td>
            {arm.tools}
            {arm.dialect === undefined ? '' : ` (${oneLine(arm.dialect)})`}
          </td>
          <td>{arm.editForm}</td>
          <td className="count">{arm.requests}</td>
          <td className="count">
            {arm.firstTokenMs === undefined ? '–' : `${Math.round(arm.firstTokenMs)} ms`}
          </td>
          <td className="count">
            {arm.tokensPerSecond === undefined ? '–' : Math.round(arm.tokensPerSecond)}
          </td>
          <td className="count">
            {arm.cache ? percent(arm.cache.cached / Math.max(1, arm.cache.prompt)) : '–'}
          </td>
        </tr>
      ))}
    </Table>
  </Section>
)

function Learnt({ view: { tasks, hints }, reload }: { view: ArmsView; reload(): void }) {
  const action = useAction()
  const reset = async () => {
    await call('/v1/page/router/reset', { body: {} })
    reload()
  }
  return (
    <Section
      title="What was learnt"
      aside={
        <Act action={action} className="quiet" isOff={tasks.length === 0} run={reset}>
          Forget it
        </Act>
      }
    >
      <ErrorNote text={action.error} />
      {tasks.length > 0 && (
        <Table label="Success by type of task" head={['Arm', 'Task', '#Runs', 'Success (90 % interval)']}>
          {tasks.map((task) => (
            <Task key={`${task.arm} ${task.type}`} task={task} />
          ))}
        </Table>
      )}
      {hints.map((hint) => (
        <p key={hint} className="faint">
          {oneLine(hint)}
        </p>
      ))}
    </Section>
  )
}

function Task({ task: { arm, type, runs, quality } }: { task: TaskStats }) {
  const { mean, low, high } = quality
  return (
    <tr>
      <th scope="row">
        <code>{oneLine(arm)}</code>
      </th>
      <td>{type}</td>
      <td className="count">{runs}</td>
      <td>
        <span className="interval">
          <svg
            viewBox="0 0 100 8"
            preserveAspectRatio="none"
            role="img"
            aria-label={`between ${percent(low)} and ${percent(high)}`}
          >
            <rect className="rail" x="0" y="3" width="100" height="2" />
            <rect className="span" x={low * 100} y="2" width={Math.max(1, (high - low) * 100)} height="4" />
            <rect className="mean" x={mean * 100 - 0.6} y="0" width="1.2" height="8" />
          </svg>
          {percent(mean)}{' '}
          <span className="faint">
            {percent(low)} – {percent(high)}
          </span>
        </span>
      </td>
    </tr>
  )
}

function Plots({ view: { regret, prefill } }: { view: ArmsView }) {
  const regretTimes = useMemo(() => regret.map(({ at }) => at), [regret])
  const regretCurves = useMemo(
    () => [{ label: 'regret', colour: '--accent', values: regret.map(({ sum }) => sum) }],
    [regret],
  )
  const prefillTimes = useMemo(() => prefill.map(({ at }) => at), [prefill])
  const prefillCurves = useMemo(
    () => [
      { label: 'tokens of prompts', colour: '--soft', values: prefill.map(({ prompt }) => prompt) },
      { label: 'of them from cache', colour: '--accent', values: prefill.map(({ cached }) => cached) },
    ],
    [prefill],
  )
  return (
    <div className="plots">
      <Section title="Regret" aside={<span className="faint">estimated success given up, summed</span>}>
        {regret.length > 1 ? (
          <Plot label="Regret over time" times={regretTimes} curves={regretCurves} />
        ) : (
          <Empty title="Drawn once the router has chosen twice." />
        )}
      </Section>
      <Section title="Prefill saved" aside={<span className="faint">since the server started</span>}>
        {prefill.length > 1 ? (
          <Plot
            label="Tokens of prompts and of them from cache"
            times={prefillTimes}
            curves={prefillCurves}
          />
        ) : (
          <Empty title="Drawn once two requests were answered." />
        )}
      </Section>
    </div>
  )
}

const Pools = ({ pools }: { pools: ArmsView['pools'] }) => (
  <Section title="Pools">
    <Table label="Pools and their limits" head={['Pool', 'Used', 'Limits']}>
      {pools.map(({ name, used, limits }) => (
        <tr key={name}>
          <th scope="row">{oneLine(name)}</th>
          <td>
            <meter min={0} max={1} value={used} aria-label={`${percent(used)} used`} /> {percent(used)}
          </td>
          <td className="faint">
            {Object.entries(limits)
              .map(([key, value]) => `${key} ${thousands(value)}`)
              .join(', ')}
          </td>
        </tr>
      ))}
    </Table>
  </Section>
)
