/** Skills, functions that became tools, and plugins: their texts, agreeing to them, removing them. */
import { useState } from 'react'
import type { SkillsView } from '../../../src/protocol/page.ts'
import type { SkillEntry } from '../../../src/protocol/skills-service.ts'
import { call, part } from '../api/call.ts'
import { type Action, useAction, useRemote } from '../api/use-remote.ts'
import { Act } from '../ui/act.tsx'
import { Empty, ErrorNote, Words } from '../ui/note.tsx'
import { Search } from '../ui/search.tsx'
import { Section } from '../ui/table.tsx'
import { clean, oneLine } from '../ui/text.ts'

export function Skills() {
  const { value, error, reload } = useRemote<SkillsView>('/v1/page/skills')
  const action = useAction()
  const [query, setQuery] = useState('')
  const wanted = query.trim().toLowerCase()
  const entries = value?.entries.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  )
  return (
    <Section title="Skills" aside={<Search label="Search skills" value={query} onChange={setQuery} />}>
      <ErrorNote text={error ?? action.error} />
      {value?.warnings.map((text) => (
        <p key={text} className="warning">
          <Words text={text} />
        </p>
      ))}
      {entries?.length === 0 && (
        <Empty
          title={
            wanted === '' ? 'No skills yet. Put one into .covey/skills/NAME/SKILL.md.' : 'Nothing found.'
          }
        />
      )}
      <ul className="rows">
        {entries?.map((entry) => (
          <Skill key={`${entry.kind} ${entry.name}`} entry={entry} action={action} reload={reload} />
        ))}
      </ul>
    </Section>
  )
}

function Skill({ entry, action, reload }: { entry: SkillEntry; action: Action; reload(): void }) {
  const { name, kind, from, description, isTrusted } = entry
  const [text, setText] = useState<string>()
  const show = async () =>
    setText(
      text === undefined ? (await call<{ text: string }>(`/v1/page/skills/${part(name)}`)).text : undefined,
    )
  const act = async (what: 'trust' | 'remove') => {
    await call(`/v1/page/skills/${what}`, { body: { name } })
    reload()
  }
  return (
    <li className="stacked">
      <div className="rows-line">
        <code>{oneLine(name)}</code>
        <span className="tag">{kind}</span>
        <span className="grow faint">{oneLine(description)}</span>
        <span className="faint">{oneLine(from)}</span>
        <button
          type="button"
          className="quiet"
          aria-expanded={text !== undefined}
          onClick={() => void action.run(show)}
        >
          {text === undefined ? 'Show' : 'Hide'}
        </button>
        {!isTrusted && (
          <Act action={action} className="quiet" label={`Trust ${oneLine(name)}`} run={() => act('trust')}>
            Trust
          </Act>
        )}
        {from !== 'bundled' && from !== 'built-in' && (
          <Act action={action} className="quiet" label={`Remove ${oneLine(name)}`} run={() => act('remove')}>
            Remove
          </Act>
        )}
      </div>
      {text !== undefined && (
        <pre className="output" tabIndex={0} aria-label={`Text of ${oneLine(name)}`}>
          {clean(text)}
        </pre>
      )}
    </li>
  )
}
