/** Why the last runs went where they went. */
import type { ArmsView } from '../../../src/protocol/page.ts'
import { Empty } from '../ui/note.tsx'
import { Section } from '../ui/table.tsx'
import { oneLine, when } from '../ui/text.ts'

const CAUSES = {
  start: 'chosen',
  failure: 'after a failure',
  escalation: 'for a better one',
  return: 'back down',
} as const

export const Decisions = ({ decisions }: { decisions: ArmsView['decisions'] }) => (
  <Section title="Last choices">
    {decisions.length === 0 && (
      <Empty title="No choice is kept yet. With one arm there is nothing to choose." />
    )}
    <ul className="decisions">
      {decisions.map((decision, index) => (
        <Decision key={`${decision.runId} ${index}`} made={decision} />
      ))}
    </ul>
  </Section>
)

function Decision({ made }: { made: ArmsView['decisions'][number] }) {
  const { at, cause, classification, decision } = made
  const { arm = 'none', why, reasons, ranked, ruledOut, explored } = decision
  return (
    <li>
      <details>
        <summary>
          <span className="faint">{when(at)}</span> <code>{oneLine(arm)}</code> <span>{oneLine(why)}</span>{' '}
          <span className="tag">
            {classification.type}, {CAUSES[cause]}
          </span>
          {explored && <span className="tag">tried out</span>}
        </summary>
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{oneLine(reason)}</li>
          ))}
          {ranked.length > 1 && (
            <li>Order: {ranked.map((one) => `${oneLine(one.arm)} ${one.score.toFixed(2)}`).join(', ')}</li>
          )}
          {ruledOut.map((one) => (
            <li key={one.arm} className="faint">
              Not {oneLine(one.arm)}: {oneLine(one.why)}
            </li>
          ))}
        </ul>
      </details>
    </li>
  )
}
