/** Every command, in the order of the help. */
import type { Command } from './command.ts'
import { openTrustOf } from '../app.ts'
import { openServing, serverSettings } from '../serving.ts'
import {
  openMemoryDesk,
  openPatchDesk,
  openPeersOf,
  openPlanDesk,
  openRouterDeskOf,
  openRuleBookOf,
  openSkillsDesk,
  probeServerOf,
  swarmFactsOf,
} from '../desks.ts'
import { configCommand } from './config.ts'
import { createRouterCommand } from './router.ts'
import { doctorCommand } from './doctor.ts'
import { mcpCommand } from './mcp.ts'
import { createMemoryCommand } from './memory.ts'
import { createProbeActions } from './models-probe.ts'
import { createModelsCommand } from './models.ts'
import { createPatchCommand } from './patch.ts'
import { createPeersCommand } from './peers.ts'
import { createPermissionsCommand } from './permissions.ts'
import { createPlanCommand } from './plan.ts'
import { runCommand } from './run.ts'
import { createServeCommand } from './serve.ts'
import { sessionsCommand } from './sessions.ts'
import { createSkillsCommand } from './skills.ts'
import { createSwarmCommand } from './swarm.ts'
import { tokenCommand } from './token.ts'
import { toolsCommand } from './tools.ts'
import { createTrustCommand } from './trust.ts'

export const commands: readonly Command[] = [
  runCommand,
  createServeCommand(openServing, serverSettings),
  tokenCommand,
  toolsCommand,
  mcpCommand,
  createModelsCommand({ actions: createProbeActions(probeServerOf) }),
  createPeersCommand(openPeersOf),
  createSwarmCommand(openPeersOf, swarmFactsOf),
  sessionsCommand,
  createPatchCommand(openPatchDesk),
  createMemoryCommand(openMemoryDesk),
  createPlanCommand(openPlanDesk),
  createSkillsCommand(openSkillsDesk),
  createPermissionsCommand(openRuleBookOf),
  createTrustCommand(openTrustOf),
  createRouterCommand(openRouterDeskOf),
  configCommand,
  doctorCommand,
]
