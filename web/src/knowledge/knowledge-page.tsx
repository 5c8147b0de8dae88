/** What outlives a session: memory, skills and the plan. */
import { ErrorNote, Empty } from '../ui/note.tsx'
import { Section } from '../ui/table.tsx'
import { useRemote } from '../api/use-remote.ts'
import type { PlanView } from '../../../src/protocol/page.ts'
import { Facts } from './facts.tsx'
import { Board } from './board.tsx'
import { Skills } from './skills.tsx'

export function KnowledgePage() {
  const plan = useRemote<PlanView>('/v1/page/plan', 10_000)
  return (
    <>
      <h1>Memory, skills, plan</h1>
      <Facts />
      <Section title="Plan" aside={plan.value && <span className="tag">{plan.value.phase}</span>}>
        <ErrorNote text={plan.error} />
        {plan.value ? <Board plan={plan.value} reload={plan.reload} /> : <Empty title="Opening…" />}
      </Section>
      <Skills />
    </>
  )
}
