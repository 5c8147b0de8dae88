/** Who can answer and what the router has learnt, for the page. */
import { join } from 'node:path'
import { toRouterSettings } from '../../config/router.ts'
import type { ArmLine, ArmsView, PageService } from '../../protocol/page.ts'
import type { DecisionRecord, RouterService } from '../../protocol/routing.ts'
import { createDecisionLog } from '../../router/decision-log.ts'
import { createPools } from '../../router/pools.ts'
import { openRecord } from '../../router/record.ts'
import type { ActivityLog } from '../../server/web/activity.ts'
import type { AppContext } from '../open.ts'

export type ArmsParts = {
  readonly context: Pick<AppContext, 'answering' | 'config' | 'paths'>
  readonly activity: Pick<ActivityLog, 'cache' | 'prefill'>
  /** What is on disk now. */
  openRouter(): Promise<RouterService>
}

const MOST_DECISIONS = 30

export function armsService({
  context,
  activity,
  openRouter,
}: ArmsParts): Pick<PageService, 'arms' | 'resetRouter'> {
  const { answering, paths } = context
  const log = createDecisionLog({
    path: join(paths.dataFolder, 'router-decisions.jsonl'),
    onProblem: () => {},
  })
  return {
    async arms() {
      const { arms: known, tasks, sources, hints } = await (await openRouter()).stats()
      const decisions = await log.read()
      const newest = decisions.slice(-MOST_DECISIONS).toReversed()
      return {
        name: answering.name,
        arms: answering.arms().map((arm) => toLine(arm, { known, cache: activity.cache() })),
        tasks,
        sources,
        hints,
        pools: await poolsOf(context),
        decisions: newest.map(({ input: _input, ...decision }) => decision),
        regret: regretOf(decisions),
        prefill: activity.prefill(),
      }
    },
    resetRouter: async () => (await openRouter()).reset(),
  }
}

type Known = {
  readonly known: Awaited<ReturnType<RouterService['stats']>>['arms']
  readonly cache: ReturnType<ActivityLog['cache']>
}

type Arm = ReturnType<AppContext['answering']['arms']>[number]

function toLine(arm: Arm, { known, cache }: Known): ArmLine {
  const { local, capabilities } = arm.profile()
  const { window, windowFrom, tools, editForm, vision, dialect, speeds } = capabilities
  const stats = known.find((one) => one.arm === arm.id)
  const tokensPerSecond = stats?.tokensPerSecond ?? speeds?.decode
  const used = cache.get(arm.id)
  return {
    id: arm.id,
    isLocal: local,
    window,
    windowFrom,
    tools,
    editForm,
    vision,
    requests: stats?.requests ?? 0,
    ...(dialect !== undefined && { dialect }),
    ...(stats?.firstTokenMs !== undefined && { firstTokenMs: stats.firstTokenMs }),
    ...(tokensPerSecond !== undefined && { tokensPerSecond }),
    ...(used && { cache: used }),
  }
}

/** What the best arm was expected to do better than the chosen one, by the estimates of that moment. Pure. */
export function regretOf(decisions: readonly DecisionRecord[]): ArmsView['regret'] {
  let sum = 0
  return decisions.flatMap(({ at, decision: { arm, ranked } }) => {
    const chosen = ranked.find((one) => one.arm === arm)
    if (!chosen) return []
    sum += Math.max(...ranked.map(({ quality }) => quality)) - chosen.quality
    return [{ at, sum }]
  })
}

const NOTHING = { requests: 0, input: 0, output: 0, dollars: 0 }

async function poolsOf({ config, paths }: ArmsParts['context']): Promise<ArmsView['pools']> {
  const names = Object.keys(config.router.pools)
  if (names.length === 0) return []
  const path = join(paths.dataFolder, 'router.json')
  const { ledgers } = await openRecord({ path, learning: false, onProblem: () => {} })
  const { limits } = toRouterSettings(config.router)
  const pools = createPools({ limits, ledgers, now: Date.now })
  return names.map((name) => ({
    name,
    used: pools.state(name, NOTHING).scarcity,
    limits: { ...limits(name) } as Readonly<Record<string, number>>,
  }))
}
