/** Every command, in the order of the help. */
import type { Command } from './command.ts'
import { configCommand } from './config.ts'
import { doctorCommand } from './doctor.ts'
import { runCommand } from './run.ts'
import { sessionsCommand } from './sessions.ts'

export const commands: readonly Command[] = [runCommand, sessionsCommand, configCommand, doctorCommand]
