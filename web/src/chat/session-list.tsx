/** Sessions of the folder: found by what was said in them, opened, copied, saved as a file, deleted. */
import { useEffect, useState } from 'react'
import { call, part } from '../api/call.ts'
import { type Action, useAction, useRemote } from '../api/use-remote.ts'
import { Menu } from '../ui/menu.tsx'
import { ErrorNote } from '../ui/note.tsx'
import { clean, oneLine, plural, when } from '../ui/text.ts'
import { createSession, download, fork, remove } from './controls.ts'

export type SessionRow = {
  readonly id: string
  readonly title: string
  readonly updatedAt: number
  readonly messages?: number
  readonly excerpt?: string
}

type Props = {
  readonly current: string | undefined
  readonly canAct: boolean
  /** Changes when the list should be looked at again. */
  readonly stamp: string
  open(id: string | undefined): void
}

export function SessionList({ current, canAct, stamp, open }: Props) {
  const [query, setQuery] = useState('')
  const list = useRemote<{ data: readonly SessionRow[] }>('/v1/sessions', 15_000)
  const found = useSearch(query)
  const action = useAction()
  const { reload } = list
  useEffect(reload, [reload, stamp])
  const rows = query.trim() === '' ? list.value?.data.filter(({ messages }) => messages !== 0) : found
  return (
    <nav className="sessions" aria-label="Sessions">
      <div className="sessions-head">
        <input
          type="search"
          aria-label="Search sessions"
          placeholder="Search"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <button
          type="button"
          className="primary"
          disabled={!canAct || action.isBusy}
          title={canAct ? undefined : 'Needs a token with the scope `tools`'}
          onClick={() => void action.run(async () => open(await createSession()))}
        >
          New
        </button>
      </div>
      <ErrorNote text={action.error ?? list.error} />
      {rows?.length === 0 && (
        <p className="empty">
          {query.trim() === ''
            ? 'No sessions in this folder yet. Press New and ask something.'
            : 'Nothing found.'}
        </p>
      )}
      <ul>
        {rows?.map((row) => (
          <Row key={row.id} row={row} {...{ current, canAct, open, action, reload }} />
        ))}
      </ul>
    </nav>
  )
}

type RowProps = Omit<Props, 'stamp'> & { readonly row: SessionRow; readonly action: Action; reload(): void }

function Row({ row, current, canAct, open, action, reload }: RowProps) {
  const { id, title, updatedAt, messages, excerpt } = row
  const erase = async (): Promise<void> => {
    await remove(id)
    reload()
    if (current === id) open(undefined)
  }
  const name = oneLine(title) || id
  return (
    <li className={id === current ? 'current' : ''}>
      <a href={`#/chat/${part(id)}`} aria-current={id === current ? 'page' : undefined}>
        <span className="title">{name}</span>
        <span className="faint">
          {when(updatedAt)}
          {messages === undefined ? '' : ` · ${plural(messages, 'message')}`}
        </span>
        {excerpt !== undefined && <span className="excerpt">{oneLine(excerpt)}</span>}
      </a>
      <Menu
        label={`Actions for ${name}`}
        items={[
          { label: 'Fork', isOff: !canAct, run: () => void action.run(async () => open(await fork(id))) },
          ...(['md', 'json', 'html'] as const).map((format) => ({
            label: `Export as ${format}`,
            run: () => void action.run(() => download(id, format)),
          })),
          {
            label: 'Delete',
            isOff: !canAct,
            confirm: `Delete “${clean(name)}” with all that was said in it?`,
            run: () => void action.run(erase),
          },
        ]}
      />
    </li>
  )
}

const SEARCH_MS = 200

function useSearch(query: string): readonly SessionRow[] | undefined {
  const [found, setFound] = useState<readonly SessionRow[]>()
  useEffect(() => {
    if (query.trim() === '') return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      call<{ data: readonly SessionRow[] }>(`/v1/sessions/search?q=${part(query.trim())}`, {
        signal: stop.signal,
      }).then(
        ({ data }) => setFound(data),
        () => undefined,
      )
    }, SEARCH_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [query])
  return found
}
