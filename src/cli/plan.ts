/** `covey plan`: what this project is about to do, changing it, and working at it in small packets. */
import { appOptions } from './app-options.ts'
import type { Command } from './command.ts'
import type { OpenPlanService } from './plan-actions.ts'

export const createPlanCommand = (open: OpenPlanService): Command => ({
  name: 'plan',
  summary: "Show, change or run this project's plan",
  usage: '[show | add | check | begin | done | block | note | run | ...] [text...]',
  options: [
    ...appOptions,
    { flags: '--check <command>', description: 'with add: the task is done when this command passes' },
    { flags: '--json', description: 'the plan as JSON; with run: what happens, as JSON lines' },
    { flags: '--packet-turns <n>', description: 'with run: the most turns of one packet (12)' },
    { flags: '--packet-calls <n>', description: 'with run: the most calls of one packet (20)' },
  ],
  examples: [
    'covey plan',
    'covey plan add "Write the parser" --check "npm test"',
    'covey plan add < TASKS.md',
    'covey plan check 1 "npm run lint"',
    'covey plan done 1',
    'covey plan block 2 "needs a key"',
    'covey plan run --permission accept-edits --packet-turns 8',
    'covey plan export',
  ],
  run: async (context) => (await import('./plan-actions.ts')).actOnPlan(open, context),
})
