/** What is over, one component for each kind of item. */
import { memo, useState } from 'react'
import type { EndItem, Item, NoteItem, SubagentItem } from '../../../src/view/view.ts'
import { State } from '../ui/state.tsx'
import { clean, oneLine, plural, seconds, thousands } from '../ui/text.ts'
import { Markdown } from './markdown.tsx'
import { Tool } from './tool.tsx'
import { Vote } from './vote.tsx'

export const ItemRow = memo(function ItemRow({ item }: { item: Item }) {
  switch (item.kind) {
    case 'prompt':
      return <Prompt text={item.text} />
    case 'reply':
      return <Reply text={item.text} reasoning={item.reasoning} />
    case 'tool':
      return <Tool tool={item} />
    case 'vote':
      return <Vote vote={item} />
    case 'subagent':
      return <Subagent agent={item} />
    case 'proposal':
      return <Note level="info" text={`Proposes: ${item.command}`} />
    case 'note':
      return item.level === 'detail' ? null : <Note level={item.level} text={item.text} />
    case 'end':
      return <End end={item} />
  }
})

const Prompt = ({ text }: { text: string }) => (
  <article className="prompt" aria-label="You">
    <p>{clean(text)}</p>
  </article>
)

const Reply = ({ text, reasoning }: { text: string; reasoning: string }) => (
  <article className="reply" aria-label="Answer">
    {reasoning.trim() !== '' && <Reasoning text={reasoning} isLive={false} />}
    {text.trim() !== '' && <Markdown text={text} />}
  </article>
)

export function Reasoning({ text, isLive }: { text: string; isLive: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const words = text.trim().split(/\s+/).length
  return (
    <div className="reasoning">
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isLive ? 'Thinking' : 'Thought'}, {plural(words, 'word')}
      </button>
      {isOpen && <p className="reasoning-text">{clean(text.trim())}</p>}
    </div>
  )
}

export const Note = ({ level, text }: Pick<NoteItem, 'level' | 'text'>) => (
  <p className={`note ${level}`} role={level === 'error' ? 'alert' : undefined}>
    {clean(text)}
  </p>
)

export function Subagent({ agent }: { agent: SubagentItem }) {
  const { name, task, state, text, turns, tokens, ms } = agent
  const facts = [
    turns === undefined ? '' : plural(turns, 'turn'),
    tokens === undefined ? '' : `${thousands(tokens)} tokens`,
    ms === undefined ? '' : seconds(ms),
  ].filter(Boolean)
  return (
    <section className={`card subagent ${state}`} aria-label={`Subagent ${oneLine(name)}`}>
      <header>
        <State state={state} />
        <strong>{oneLine(name)}</strong>
        <span className="faint">{facts.join(' · ')}</span>
      </header>
      <p>{oneLine(task)}</p>
      {text !== '' && <p className="faint">{oneLine(text)}</p>}
    </section>
  )
}

function End({ end: { reason, report, changed, runnable } }: { end: EndItem }) {
  const isSaid = reason === 'answered' || reason === 'error'
  const why = reason === 'cancelled' && !report ? 'Cancelled.' : (report ?? `Ended: ${reason}.`)
  return (
    <div className={isSaid ? 'end' : 'end odd'}>
      {!isSaid && <p>{clean(why)}</p>}
      {changed.length > 0 && (
        <p>
          Changed <Paths paths={changed} />
        </p>
      )}
      {runnable.length > 0 && (
        <p className="warning">
          Runs when you start it, look at it first: <Paths paths={runnable} />
        </p>
      )}
    </div>
  )
}

const Paths = ({ paths }: { paths: readonly string[] }) => (
  <>
    {paths.map((path) => (
      <bdi key={path} className="path">
        {oneLine(path)}
      </bdi>
    ))}
  </>
)
