/** Every command, in the order of the help. */
import type { Command } from './command.ts'
import { openRuleBookOf, openTrustOf } from '../app.ts'
import { configCommand } from './config.ts'
import { doctorCommand } from './doctor.ts'
import { createPermissionsCommand } from './permissions.ts'
import { runCommand } from './run.ts'
import { sessionsCommand } from './sessions.ts'
import { createTrustCommand } from './trust.ts'

export const commands: readonly Command[] = [
  runCommand,
  sessionsCommand,
  createPermissionsCommand(openRuleBookOf),
  createTrustCommand(openTrustOf),
  configCommand,
  doctorCommand,
]
