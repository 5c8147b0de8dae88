/** Every command, in the order of the help. */
import type { Command } from './command.ts'
import { openRuleBookOf, openTrustOf, probeServerOf } from '../app.ts'
import { openServing, serverSettings } from '../serving.ts'
import { configCommand } from './config.ts'
import { createRouterCommand } from './router.ts'
import { openRouterDeskOf } from '../app.ts'
import { doctorCommand } from './doctor.ts'
import { createProbeActions } from './models-probe.ts'
import { createModelsCommand } from './models.ts'
import { createPermissionsCommand } from './permissions.ts'
import { runCommand } from './run.ts'
import { createServeCommand } from './serve.ts'
import { sessionsCommand } from './sessions.ts'
import { tokenCommand } from './token.ts'
import { createTrustCommand } from './trust.ts'

export const commands: readonly Command[] = [
  runCommand,
  createServeCommand(openServing, serverSettings),
  tokenCommand,
  createModelsCommand({ actions: createProbeActions(probeServerOf) }),
  sessionsCommand,
  createPermissionsCommand(openRuleBookOf),
  createTrustCommand(openTrustOf),
  createRouterCommand(openRouterDeskOf),
  configCommand,
  doctorCommand,
]
