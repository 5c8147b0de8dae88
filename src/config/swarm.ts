/** The swarm, as it is configured. */
import { z } from 'zod'

export const swarmSchema = z
  .strictObject({
    mode: z
      .enum(['off', 'auto', 'always'])
      .default('off')
      .describe('Ask several times and vote: never, when one answer is not enough, or for every answer.'),
    workers: z.int().min(1).max(7).default(3).describe('How many workers answer in parallel.'),
    most: z.int().min(1).max(7).default(5).describe('The most answers one vote may take.'),
    ahead: z
      .int()
      .min(1)
      .max(7)
      .default(2)
      .describe('An answer with this many votes more than the next wins.'),
    ahead_to_destroy: z
      .int()
      .min(1)
      .max(7)
      .default(3)
      .describe('The same for what cannot be undone; a smaller lead never wins there.'),
    least: z
      .number()
      .min(0)
      .max(1)
      .default(0.4)
      .describe('The share of the votes that wins once every worker has answered.'),
    quorum: z.int().min(1).max(7).default(2).describe('The fewest votes that can elect an answer.'),
    deadline_s: z
      .number()
      .positive()
      .default(120)
      .describe('Seconds for the first answer, and again for all the others together.'),
    rounds: z
      .literal([1, 2])
      .default(2)
      .describe('How many rounds; in the second the workers see the other answers.'),
    escalate_from: z
      .enum(['write', 'destroy'])
      .default('write')
      .describe(
        'What `auto` asks others about: everything that changes something, or what cannot be undone.',
      ),
    arbiter: z
      .string()
      .min(1)
      .exactOptional()
      .describe('The arm that decides when the workers do not agree; choose a stronger one.'),
    sure: z
      .number()
      .min(0)
      .max(1)
      .default(0.6)
      .describe('`auto` asks other workers below this confidence, if the model reports one.'),
  })
  .prefault({})
  .describe('Several answers, one result: a model is asked more than once and the answers are voted on.')

export type SwarmConfig = z.output<typeof swarmSchema>

/** In the words of the swarm itself. */
export const toSwarmPolicy = (config: SwarmConfig) => ({
  when: config.mode,
  most: Math.max(config.workers, config.most),
  ahead: config.ahead,
  aheadToDestroy: config.ahead_to_destroy,
  least: config.least,
  quorum: config.quorum,
  deadlineMs: config.deadline_s * 1000,
  rounds: config.rounds,
  from: config.escalate_from,
  sure: config.sure,
})
