/** Models on this machine: what is here, what fits, getting and removing them. */
import { useState } from 'react'
import type { ModelsView, PullState } from '../../../src/protocol/page.ts'
import { call } from '../api/call.ts'
import { type Action, useAction, useRemote } from '../api/use-remote.ts'
import { Act } from '../ui/act.tsx'
import { Menu } from '../ui/menu.tsx'
import { useAccess } from '../access.ts'
import { Empty, ErrorNote } from '../ui/note.tsx'
import { Section, Table } from '../ui/table.tsx'
import { bytes, oneLine, percent, thousands } from '../ui/text.ts'

const FAST_MS = 700
const SLOW_MS = 30_000

export function ModelsPage() {
  const [isPulling, setPulling] = useState(false)
  const { value, error, reload } = useRemote<ModelsView>('/v1/page/models', isPulling ? FAST_MS : SLOW_MS)
  const action = useAction()
  const isBusy = value?.pulls.some(({ state }) => state === 'running') ?? false
  if (isBusy !== isPulling) setPulling(isBusy)
  const pull = async (name: string) => {
    await call('/v1/page/models/pull', { body: { name } })
    setPulling(true)
    reload()
  }
  return (
    <>
      <h1>Models</h1>
      <p className="faint">{value?.hardware}</p>
      <ErrorNote text={error ?? action.error} />
      {value && (
        <>
          <Pulls pulls={value.pulls} action={action} reload={reload} />
          <Here view={value} action={action} reload={reload} />
          <Fits view={value} action={action} pull={pull} />
        </>
      )}
    </>
  )
}

type Acting = { readonly action: Action; reload(): void }

function Pulls({ pulls, action, reload }: Acting & { pulls: readonly PullState[] }) {
  if (pulls.length === 0) return null
  const cancel = async (name: string) => {
    await call('/v1/page/models/cancel', { body: { name } })
    reload()
  }
  return (
    <Section title="Downloads">
      <ul className="rows">
        {pulls.map(({ model, state, stage, bytes: got, total, note }) => (
          <li key={model}>
            <code>{oneLine(model)}</code>
            <span className="tag">{state === 'running' && stage === 'verifying' ? 'checking' : state}</span>
            {total !== undefined && state === 'running' && (
              <progress max={total} value={got} aria-label={`Download of ${oneLine(model)}`} />
            )}
            <span className="faint">
              {total === undefined ? '' : `${bytes(got)} of ${bytes(total)}, ${percent(got / total)}`}{' '}
              {note === undefined ? '' : oneLine(note)}
            </span>
            {state === 'running' && (
              <Act action={action} className="quiet" run={() => cancel(model)}>
                Cancel
              </Act>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Here({ view: { models, unfinished }, action, reload }: Acting & { view: ModelsView }) {
  const isAllowed = useAccess().has('admin')
  const remove = async (name: string) => {
    await call('/v1/page/models/remove', { body: { name } })
    reload()
  }
  const menu = (name: string) => (
    <Menu
      label={`Actions for ${oneLine(name)}`}
      items={[
        {
          label: 'Remove',
          isOff: !isAllowed,
          confirm: `Delete ${oneLine(name)} from the disk?`,
          run: () => void action.run(() => remove(name)),
        },
      ]}
    />
  )
  return (
    <Section title="On this machine">
      {models.length + unfinished.length === 0 ? (
        <Empty title="No model is installed yet. Get one of those below; the built-in one answers until then." />
      ) : (
        <Table label="Models on this machine" head={['Model', '#Size', 'From', '']}>
          {models.map(({ id, bytes: size, source, path }) => (
            <tr key={path}>
              <th scope="row" title={oneLine(path)}>
                <code>{oneLine(id)}</code>
              </th>
              <td className="count">{bytes(size)}</td>
              <td>{source}</td>
              <td>{source === 'covey' && menu(id)}</td>
            </tr>
          ))}
          {unfinished.map((name) => (
            <tr key={name}>
              <th scope="row">
                <code>{oneLine(name)}</code>
              </th>
              <td />
              <td>not complete</td>
              <td>{menu(name)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}

type FitsProps = { readonly view: ModelsView; readonly action: Action; pull(name: string): Promise<void> }

function Fits({ view: { fits, tooLarge, best }, action, pull }: FitsProps) {
  const [wish, setWish] = useState('')
  return (
    <Section title="Fits this machine">
      <Table
        label="Models that fit"
        head={['Model', '#Window', '#Workers', '#Memory', '#Tokens/s', 'In', '']}
      >
        {fits.map((fit) => (
          <FitRow key={fit.id} fit={fit} isBest={fit.id === best} action={action} pull={pull} />
        ))}
      </Table>
      {tooLarge.length > 0 && (
        <p className="faint">
          Do not fit:{' '}
          {tooLarge.map(({ name, missingBytes }) => `${name} (${bytes(missingBytes)} more)`).join(', ')}
        </p>
      )}
      <div className="form">
        <input
          aria-label="Another model"
          placeholder="qwen3.5:4b, hf:owner/repo/file.gguf or an address"
          value={wish}
          onChange={(event) => setWish(event.target.value)}
        />
        <Act action={action} isOff={wish.trim() === ''} run={() => pull(wish.trim())}>
          Get
        </Act>
      </div>
    </Section>
  )
}

type FitRowProps = Pick<FitsProps, 'action' | 'pull'> & {
  readonly fit: ModelsView['fits'][number]
  readonly isBest: boolean
}

const FitRow = ({ fit, isBest, action, pull }: FitRowProps) => (
  <tr className={isBest ? 'best' : ''}>
    <th scope="row">
      <code>{fit.id}</code> {isBest && <span className="tag">best here</span>}
      <span className="faint block">{oneLine(fit.title)}</span>
    </th>
    <td className="count">{thousands(fit.window)}</td>
    <td className="count">{fit.workers}</td>
    <td className="count">{bytes(fit.bytes)}</td>
    <td className="count">
      {fit.tokensPerSecond === undefined ? '–' : Math.max(1, Math.round(fit.tokensPerSecond))}
    </td>
    <td>
      {fit.place}
      {fit.isSlow ? ', slow' : ''}
    </td>
    <td>
      {fit.isHere ? (
        <span className="tag">here</span>
      ) : (
        <Act action={action} label={`Get ${fit.id}`} run={() => pull(fit.id)}>
          Get
        </Act>
      )}
    </td>
  </tr>
)
