/** `covey doctor`: what works here, and for each thing that does not, the one step that fixes it. */
import type { Command } from './command.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check what works on this machine and say how to fix the rest',
  usage: '',
  examples: ['covey doctor'],
  run: async (context) => (await import('./doctor-checks.ts')).checkMachine(context),
}
