/** What is remembered: found, added, changed and forgotten. */
import { useState } from 'react'
import type { FactLine } from '../../../src/protocol/page.ts'
import { call, part } from '../api/call.ts'
import { type Action, useAction, useRemote } from '../api/use-remote.ts'
import { Act } from '../ui/act.tsx'
import { Empty, ErrorNote } from '../ui/note.tsx'
import { Search } from '../ui/search.tsx'
import { Section } from '../ui/table.tsx'
import { clean, oneLine, plural, when } from '../ui/text.ts'

export function Facts() {
  const [query, setQuery] = useState('')
  const [text, setText] = useState('')
  const { value, error, reload } = useRemote<{ facts: readonly FactLine[] }>(
    `/v1/page/memory?q=${part(query)}`,
  )
  const action = useAction()
  const add = async () => {
    await call('/v1/page/memory/add', { body: { text } })
    setText('')
    reload()
  }
  const facts = value?.facts.filter(({ isReplaced }) => !isReplaced)
  return (
    <Section title="Memory" aside={<Search label="Search memory" value={query} onChange={setQuery} />}>
      <ErrorNote text={error ?? action.error} />
      <div className="form">
        <input
          aria-label="Something to remember"
          placeholder="Remember for this project: The API listens on port 8080"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Act action={action} isOff={text.trim() === ''} run={add}>
          Remember
        </Act>
      </div>
      {facts?.length === 0 && (
        <Empty
          title={
            query === ''
              ? 'Nothing is remembered yet. Write a sentence above, or say “remember that …” in the chat.'
              : 'Nothing found.'
          }
        />
      )}
      <ul className="rows">
        {facts?.map((fact) => (
          <Fact key={fact.id} fact={fact} action={action} reload={reload} />
        ))}
      </ul>
    </Section>
  )
}

function Fact({ fact, action, reload }: { fact: FactLine; action: Action; reload(): void }) {
  const [draft, setDraft] = useState<string>()
  const { id, kind, text, isGlobal, source, addedAt, uses } = fact
  const save = async () => {
    await call('/v1/page/memory/change', { body: { id, text: draft } })
    setDraft(undefined)
    reload()
  }
  const forget = async () => {
    await call('/v1/page/memory/forget', { body: { id } })
    reload()
  }
  if (draft !== undefined)
    return (
      <li className="form">
        <input
          autoFocus
          aria-label="Changed text"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
        <Act action={action} className="primary" isOff={draft.trim() === ''} run={save}>
          Save
        </Act>
        <button type="button" onClick={() => setDraft(undefined)}>
          Keep
        </button>
      </li>
    )
  return (
    <li>
      <span className="tag">{kind}</span>
      <span className="grow">{clean(text)}</span>
      <span className="faint">
        {when(addedAt)} · {oneLine(source)} · {plural(uses, 'use')}
        {isGlobal ? ' · everywhere' : ''}
      </span>
      <button type="button" className="quiet" aria-label={`Edit fact ${id}`} onClick={() => setDraft(text)}>
        Edit
      </button>
      <Act action={action} className="quiet" label={`Forget fact ${id}`} run={forget}>
        Forget
      </Act>
    </li>
  )
}
