/**
 * Every command, in the order of the help. All of this is loaded before the first word is looked at: a command's own file
 * holds what the help says, and whatever it stands on is imported when it runs.
 */
import type { Command } from './command.ts'
import {
  openMemoryService,
  openPatchService,
  openPeersOf,
  openPlanService,
  openProviders,
  openRouterServiceOf,
  describeSandbox,
  openRuleBookOf,
  openSkillsService,
  openTrustService,
  openUndoServiceOf,
  probeServerOf,
  swarmFactsOf,
} from '../app/queries.ts'
import { createCompletionCommand } from './completion.ts'
import { configCommand } from './config.ts'
import { createRouterCommand } from './router.ts'
import { doctorCommand } from './doctor.ts'
import { engineCommand } from './engine.ts'
import { mcpCommand } from './mcp.ts'
import { createMemoryCommand } from './memory.ts'
import { createModelsCommand } from './models.ts'
import { createPatchCommand } from './patch.ts'
import { createPeersCommand } from './peers.ts'
import { createPermissionsCommand } from './permissions.ts'
import { createPlanCommand } from './plan.ts'
import { createProvidersCommand } from './providers.ts'
import { runCommand } from './run.ts'
import { createServeCommand } from './serve.ts'
import type { PrepareServing } from './serve-until-stopped.ts'
import { sessionsCommand } from './sessions.ts'
import { shellCommand } from './shell.ts'
import { createSkillsCommand } from './skills.ts'
import { createSlmCommand } from './slm.ts'
import { createSwarmCommand } from './swarm.ts'
import { tokenCommand } from './token.ts'
import { toolsCommand } from './tools.ts'
import { createTrustCommand } from './trust.ts'
import { createRedoCommand, createUndoCommand } from './undo.ts'
import { createWebCommand } from './web.ts'

const prepareServing: PrepareServing = async (options) =>
  (await import('../app/served.ts')).prepareServing(options)

export const commands: readonly Command[] = [
  runCommand,
  shellCommand,
  createServeCommand(prepareServing),
  createWebCommand(prepareServing),
  tokenCommand,
  toolsCommand,
  mcpCommand,
  createModelsCommand({
    probe: probeServerOf,
    servers: async (...at) => (await openProviders(...at)).servers(),
  }),
  engineCommand,
  createPeersCommand(openPeersOf),
  createSwarmCommand(openPeersOf, swarmFactsOf),
  sessionsCommand,
  createUndoCommand(openUndoServiceOf),
  createRedoCommand(openUndoServiceOf),
  createPatchCommand(openPatchService),
  createMemoryCommand(openMemoryService),
  createPlanCommand(openPlanService),
  createSkillsCommand(openSkillsService),
  createPermissionsCommand(openRuleBookOf, describeSandbox),
  createTrustCommand(openTrustService),
  createRouterCommand(openRouterServiceOf),
  createProvidersCommand(openProviders),
  createSlmCommand(openProviders),
  configCommand,
  doctorCommand,
  createCompletionCommand(() => commands),
]
