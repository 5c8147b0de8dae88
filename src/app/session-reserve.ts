/** The model of one session: the named arm, or the one the router picks, behind the firewall. */
import type { Config } from '../config/schema.ts'
import { throughFirewall } from './firewall.ts'
import type { SessionGuards } from './guards.ts'
import type { Reserve } from '../protocol/arm.ts'
import type { Authorize } from '../protocol/guard.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { Model } from '../protocol/model.ts'
import type { Files, Tool, TryChanges } from '../protocol/tool.ts'
import { withKnownValues } from '../session/known-values.ts'
import type { StoredSession } from '../session/store.ts'
import { understand, type Understood } from './session-tools.ts'

export type ReserveContext = {
  readonly config: Config
  readonly reserve: Reserve
  /** One arm by its id. Throws for an unknown id. */
  reserveArm(id: string): Reserve
  /** Votes over several answers of the reserved arm; absent = one answer. */
  readonly swarm?: (reserve: Reserve, session: SwarmSession) => Reserve
}

/** What the calls of a session mean and may reach, for a vote about them. */
type SwarmSession = {
  tools(): readonly Tool[]
  readonly files: Files
  readonly authorize: Authorize
  understand(call: ToolCall): Understood | undefined
  /** The same model, asked and heard through the firewall. */
  guarded(model: Model): Model
  readonly trial?: { readonly tryChanges: TryChanges; readonly checks: Config['checks'] }
}

/** An arm that was named while the session was open. */
export type ArmWish = {
  current(): string | undefined
  /** Absent = as the configuration says. Throws for one that is not there. */
  use(arm: string | undefined): void
}

export function createArmWish({ reserveArm }: Pick<ReserveContext, 'reserveArm'>): ArmWish {
  let named: string | undefined
  return {
    current: () => named,
    use(arm) {
      if (arm !== undefined) reserveArm(arm)
      named = arm
    },
  }
}

type Reserving = {
  readonly guards: SessionGuards
  readonly tools: () => readonly Tool[]
  readonly stored: Pick<StoredSession, 'results'>
  readonly wish: ArmWish
  /** Whatever is wished for: this one. */
  readonly arm?: string | undefined
}

export function guardedReserve(
  context: ReserveContext,
  { guards, tools, stored, wish, arm }: Reserving,
): Reserve {
  const { firewall, files, exec, authorize, tryChanges } = guards
  const reserve: Reserve = (request, signal) => {
    const named = arm ?? wish.current()
    return (named === undefined ? context.reserve : context.reserveArm(named))(request, signal)
  }
  const world = { files, exec, tools, results: stored.results }
  const asked = throughFirewall(withKnownValues(reserve, world), firewall)
  if (!context.swarm) return asked
  // Outside the firewall: candidates are compared as the engine would run them.
  return context.swarm(asked, {
    tools,
    files,
    authorize,
    understand: (call) => understand(call, tools()),
    guarded: (model) => firewall.model(model),
    ...(tryChanges && { trial: { tryChanges, checks: context.config.checks } }),
  })
}
