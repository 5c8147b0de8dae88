/** Arms and tasks for tests of the choice: each test says only what it is about. */
import type { ArmView, ChoiceInput, ChoiceOptions, ChoiceTask, Estimate } from '../../src/protocol/routing.ts'

export const quality = (mean: number, weight = 0): Estimate => ({
  mean,
  low: mean - 0.1,
  high: mean + 0.1,
  weight,
})

export const view = (id: string, facts: Partial<ArmView> = {}): ArmView => ({
  id,
  tier: 'local',
  local: facts.tier === undefined || facts.tier === 'local',
  enabled: true,
  window: 32_768,
  tools: true,
  vision: false,
  quality: quality(0.6),
  strong: false,
  lastResort: false,
  proven: false,
  scarcity: 0,
  ...facts,
})

type Given = {
  readonly arms: readonly ArmView[]
  readonly task?: Partial<ChoiceTask>
  readonly options?: Partial<ChoiceOptions>
}

export const choice = ({ arms, task, options }: Given): ChoiceInput => ({
  arms,
  task: {
    type: 'debug',
    complexity: 0.4,
    needsTools: true,
    tokens: 1_000,
    vision: false,
    lowStakes: false,
    ...task,
  },
  options: {
    now: 1_000,
    excluded: [],
    cloud: false,
    incognito: false,
    airGap: false,
    tiers: ['local', 'peer', 'cloud'],
    minimumQuality: 0.3,
    exploration: 0.05,
    draw: 0.5,
    ...options,
  },
})
