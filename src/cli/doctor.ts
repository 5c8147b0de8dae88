/** `covey doctor`: what works here, and for each thing that does not, the one step that fixes it. */
import { baseUrlOption } from './base-url.ts'
import type { Command } from './command.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check what works on this machine and say how to fix the rest',
  usage: '',
  options: [baseUrlOption],
  examples: ['covey doctor', 'covey doctor --base-url http://127.0.0.1:8080'],
  run: async (context) => (await import('./doctor-checks.ts')).checkMachine(context),
}
