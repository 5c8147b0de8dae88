/** The plan as a board: what waits, what is at work, what is in the way, what is done. */
import { useState } from 'react'
import type { PlanTask, PlanView } from '../../../src/protocol/page.ts'
import { call, part } from '../api/call.ts'
import { type Action, useAction } from '../api/use-remote.ts'
import { Act } from '../ui/act.tsx'
import { Empty, ErrorNote } from '../ui/note.tsx'
import { clean, plural, when } from '../ui/text.ts'

const COLUMNS = [
  { state: 'pending', title: 'Waiting' },
  { state: 'in_progress', title: 'At work' },
  { state: 'blocked', title: 'Blocked' },
  { state: 'complete', title: 'Done' },
] as const

/** What can be done with a task in each state. */
const MOVES: Readonly<
  Record<PlanTask['state'], readonly { readonly action: string; readonly label: string }[]>
> = {
  pending: [{ action: 'begin', label: 'Begin' }],
  in_progress: [
    { action: 'done', label: 'Done' },
    { action: 'block', label: 'Block' },
  ],
  blocked: [{ action: 'reopen', label: 'Reopen' }],
  complete: [{ action: 'reopen', label: 'Reopen' }],
}

export function Board({ plan, reload }: { plan: PlanView; reload(): void }) {
  const action = useAction()
  const [text, setText] = useState('')
  const change = async (name: string, words: string) => {
    await call('/v1/page/plan/change', { body: { action: name, text: words } })
    reload()
  }
  const add = async () => {
    await change('add', text)
    setText('')
  }
  return (
    <>
      <ErrorNote text={action.error} />
      {plan.goal !== undefined && <p>{clean(plan.goal)}</p>}
      <div className="form">
        <input
          aria-label="A new task"
          placeholder="A new task"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Act action={action} scope="tools" isOff={text.trim() === ''} run={add}>
          Add
        </Act>
      </div>
      {plan.tasks.length === 0 ? (
        <Empty title="No plan yet. Add a task, or ask for a plan in the chat." />
      ) : (
        <div className="board">
          {COLUMNS.map(({ state, title }) => (
            <Column
              key={state}
              title={title}
              tasks={plan.tasks.filter((task) => task.state === state)}
              action={action}
              change={change}
            />
          ))}
        </div>
      )}
      {plan.notes.length > 0 && <Notes notes={plan.notes} />}
    </>
  )
}

type Change = (name: string, words: string) => Promise<void>
type ColumnProps = {
  readonly title: string
  readonly tasks: readonly PlanTask[]
  readonly action: Action
  readonly change: Change
}

const Column = ({ title, tasks, action, change }: ColumnProps) => (
  <section aria-label={title}>
    <h3>
      {title} <span className="faint">{tasks.length}</span>
    </h3>
    <ul>
      {tasks.map((task) => (
        <Task key={task.id} task={task} action={action} change={change} />
      ))}
    </ul>
  </section>
)

function Task({ task, action, change }: { task: PlanTask; action: Action; change: Change }) {
  const { id, text, state, check, outcome, next, packets, openSession } = task
  return (
    <li className="card">
      <p>{clean(text)}</p>
      {check !== undefined && (
        <p className="faint">
          Check: <code>{clean(check)}</code>
        </p>
      )}
      {outcome !== undefined && <p className="faint">{clean(outcome)}</p>}
      {next !== undefined && <p className="faint">Next: {clean(next)}</p>}
      <div className="task-foot">
        {packets > 0 && <span className="faint">{plural(packets, 'packet')}</span>}
        {openSession !== undefined && <a href={`#/chat/${part(openSession)}`}>session</a>}
        {MOVES[state].map((move) => (
          <Act
            key={move.action}
            action={action}
            scope="tools"
            className="quiet"
            label={`${move.label} task ${id}`}
            run={() => change(move.action, String(id))}
          >
            {move.label}
          </Act>
        ))}
      </div>
    </li>
  )
}

const Notes = ({ notes }: { notes: PlanView['notes'] }) => (
  <details>
    <summary>{plural(notes.length, 'note')}</summary>
    <ul className="rows">
      {notes.toReversed().map(({ at, text }, index) => (
        <li key={index}>
          <span className="faint">{when(at)}</span>
          <span className="grow">{clean(text)}</span>
        </li>
      ))}
    </ul>
  </details>
)
