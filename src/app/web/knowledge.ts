/** Memory, skills and the plan of the project, for the page. */
import type { Fact } from '../../memory/fact.ts'
import type { Memory } from '../../memory/store.ts'
import type { Plan } from '../../plan/plan.ts'
import type { PlanStore } from '../../plan/store.ts'
import { toChange } from '../../plan/tool.ts'
import { AppError } from '../../protocol/error.ts'
import type { FactLine, PageService, PlanView } from '../../protocol/page.ts'
import type { SkillsService } from '../../protocol/skills-service.ts'

export type KnowledgeParts = {
  /** Opened once, with the first look. */
  openMemory(): Promise<Memory>
  openSkills(): Promise<SkillsService>
  openPlan(): Promise<PlanStore>
}

type Knowledge = Pick<
  PageService,
  | 'facts'
  | 'addFact'
  | 'changeFact'
  | 'forget'
  | 'skills'
  | 'skill'
  | 'trustSkill'
  | 'removeSkill'
  | 'plan'
  | 'changePlan'
  | 'close'
>

const MOST_FOUND = 50

export function knowledgeService({ openMemory, openSkills, openPlan }: KnowledgeParts): Knowledge {
  let opened: Promise<Memory> | undefined
  const memory = (): Promise<Memory> => {
    opened ??= openMemory()
    opened.catch(() => (opened = undefined))
    return opened
  }
  const add = async (text: string, isGlobal: boolean): Promise<Fact> =>
    (await (await memory()).add({ text, isGlobal, source: 'person' })).fact
  return {
    async facts(query, signal) {
      const facts =
        query.trim() === ''
          ? (await (await memory()).list()).toReversed()
          : (await (await memory()).recall(query, { limit: MOST_FOUND, signal })).map(({ fact }) => fact)
      return facts.map(toFactLine)
    },
    addFact: async (text, isGlobal) => toFactLine(await add(text, isGlobal)),
    async changeFact(id, text) {
      const old = (await (await memory()).list()).find((fact) => fact.id === id)
      if (!old) throw new AppError('request-invalid', 'This fact is gone; reload the page.', { status: 404 })
      const fact = await add(text, old.isGlobal)
      if (fact.id !== id) await (await memory()).remove(id)
      return toFactLine(fact)
    },
    forget: async (id) => (await memory()).remove(id),
    skills: async () => (await openSkills()).list(),
    skill: async (name) => (await openSkills()).show(name),
    trustSkill: async (name) => (await openSkills()).trust(name),
    removeSkill: async (name) => (await openSkills()).remove(name),
    plan: async () => toPlanView(await (await openPlan()).read()),
    async changePlan(action, text) {
      const change = toChange(action, text)
      const store = await openPlan()
      if (!change) return toPlanView(await store.read())
      const isAgain = change.type === 'reopen' || change.type === 'begin'
      return toPlanView(await store.change(isAgain ? { ...change, isRenewed: true } : change))
    },
    close: async () => (await opened?.catch(() => undefined))?.close(),
  }
}

const toFactLine = ({ id, kind, text, isGlobal, source, addedAt, uses, supersededBy }: Fact): FactLine => ({
  id,
  kind,
  text,
  isGlobal,
  source,
  addedAt,
  uses,
  isReplaced: supersededBy !== undefined,
})

const toPlanView = ({ goal, phase, tasks, notes }: Plan): PlanView => ({
  phase,
  notes: notes.slice(-100),
  ...(goal !== undefined && { goal }),
  tasks: tasks.map(({ id, text, state, check, outcome, next, packets, openSession }) => ({
    id,
    text,
    state,
    packets,
    ...(check !== undefined && { check }),
    ...(outcome !== undefined && { outcome }),
    ...(next !== undefined && { next }),
    ...(openSession !== undefined && { openSession }),
  })),
})
