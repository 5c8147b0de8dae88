/** The turn in progress, what waits behind it, and one line that says what is happening right now. */
import { lifeOf, type Life } from '../../../src/view/life.ts'
import type { View } from '../../../src/view/view.ts'
import { clean, oneLine, percent, plural, seconds, thousands } from '../ui/text.ts'
import { Reasoning, Subagent } from './items.tsx'
import { Markdown } from './markdown.tsx'
import { Tool } from './tool.tsx'
import { Vote } from './vote.tsx'

export function LiveTurn({ view }: { view: View }) {
  const { open, run, queue } = view
  return (
    <div className="live">
      {open.vote && <Vote vote={open.vote} />}
      {open.reasoning.trim() !== '' && <Reasoning text={open.reasoning} isLive={open.text === ''} />}
      {open.text.trim() !== '' && (
        <article className="reply" aria-label="Answer in progress">
          <Markdown text={open.text} isLive />
        </article>
      )}
      {open.tools.map((tool, index) => (
        <Tool key={`${tool.callId} ${index}`} tool={tool} />
      ))}
      {open.subagents.map((agent, index) => (
        <Subagent key={`${agent.name} ${index}`} agent={agent} />
      ))}
      {run && <LifeLine view={view} />}
      {queue.map(({ runId, prompt }) => (
        <article key={runId} className="prompt queued" aria-label="Waits for the run before it">
          <p>{clean(prompt)}</p>
          <span className="tag">queued</span>
        </article>
      ))}
    </div>
  )
}

const LifeLine = ({ view }: { view: View }) => (
  <p className="life">
    <span className="pulse" aria-hidden="true" />
    {lifeText(lifeOf(view))}
    {view.status.arm === undefined ? '' : ` · ${oneLine(view.status.arm)}`}
    {view.run && view.run.turn > 1 ? ` · turn ${view.run.turn}` : ''}
  </p>
)

function lifeText(life: Life): string {
  switch (life.kind) {
    case 'idle':
      return 'Ready'
    case 'asking':
      return 'Waits for your answer'
    case 'starting':
      return 'Starting'
    case 'retry':
      return `Again in ${seconds(life.delayMs)}: ${oneLine(life.why)}`
    case 'loading':
      return life.share === undefined ? 'Loading the model' : `Loading the model, ${percent(life.share)}`
    case 'queued':
      return `In line at the model, place ${life.position}`
    case 'reading':
      return readingText(life)
    case 'thinking':
      return `Thinking, ${thousands(life.characters)} characters`
    case 'writing':
      return 'Writing'
    case 'voting':
      return `Voting, ${life.answered} of ${life.workers} answered`
    case 'tool':
      return life.running > 1 ? `${life.running} calls at work` : `At work: ${oneLine(life.tool.name)}`
    case 'subagents':
      return `${plural(life.running, 'subagent')} at work`
  }
}

const readingText = ({ tokens, done, cached }: Extract<Life, { kind: 'reading' }>): string => {
  const far = done === undefined ? '' : `, ${percent(tokens > 0 ? done / tokens : 1)}`
  const kept = cached === undefined || cached === 0 ? '' : `, ${thousands(cached)} from cache`
  return `Reading ${thousands(tokens)} tokens${far}${kept}`
}
