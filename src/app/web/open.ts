/** Joins what the pages beside the chat show and change. Most of it is opened when it is first looked at. */
import type { PageService } from '../../protocol/page.ts'
import type { FairQueue } from '../../server/http/queue.ts'
import type { ActivityLog } from '../../server/web/activity.ts'
import type { AppContext, AppOptions } from '../open.ts'
import {
  describeSandbox,
  openMemoryService,
  openPeersOf,
  openPlanStoreOf,
  openRouterServiceOf,
  openSkillsService,
  openTrustService,
} from '../queries.ts'
import { armsService } from './arms.ts'
import { flockService } from './flock.ts'
import { knowledgeService } from './knowledge.ts'
import { modelsService } from './models.ts'
import { safetyService } from './safety.ts'
import { toolHostsOf } from './tool-hosts.ts'

export type PageParts = {
  readonly context: AppContext
  readonly options: Pick<AppOptions, 'env' | 'cwd'>
  readonly queue: FairQueue
  readonly activity: ActivityLog
}

export function openPage({ context, options, queue, activity }: PageParts): PageService {
  const { env, cwd } = options
  const models = modelsService({
    context,
    env,
    hardware: async () => (await (await import('../engines.ts')).detectUsable(env)).hardware,
  })
  const knowledge = knowledgeService({
    openMemory: () => openMemoryService(env, cwd),
    openSkills: () => openSkillsService(env, cwd),
    openPlan: () => openPlanStoreOf(env, cwd),
  })
  return {
    ...flockService({
      context,
      queue,
      openPeers: () => openPeersOf(env, cwd),
      toolHosts: toolHostsOf({ context, activity }),
    }),
    ...armsService({ context, activity, openRouter: () => openRouterServiceOf(env, cwd) }),
    ...models,
    ...knowledge,
    ...safetyService({
      context,
      openTrust: () => openTrustService(env),
      describeSandbox: () => describeSandbox(env, cwd, { readsOnly: false, host: false }),
    }),
    async close() {
      models.close()
      activity.close()
      await knowledge.close()
    },
  }
}
