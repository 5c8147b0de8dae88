/** How arms are chosen, as it is configured. What leaves the machine, and what it may cost, is off until it is set. */
import { z } from 'zod'
import { defined } from '../lib/object.ts'
import { taskTypes } from '../protocol/classification.ts'
import { type PoolLimits, type TaskType, type Tier, tiers } from '../protocol/routing.ts'
import { isLocalAddress } from './address.ts'
import { NANO_ID } from '../protocol/nano-id.ts'

const count = (description: string) => z.int().min(1).exactOptional().describe(description)

const pool = z.strictObject({
  requests_per_second: count('Requests in any second.'),
  requests_per_minute: count('Requests in any minute.'),
  requests_per_day: count('Requests in any 24 hours.'),
  input_per_minute: count('Tokens sent in any minute.'),
  output_per_minute: count('Tokens received in any minute.'),
  tokens_per_month: count('Tokens sent and received in any 30 days.'),
  dollars_per_month: z
    .number()
    .positive()
    .exactOptional()
    .describe('Spent in any 30 days, by the price of its arms.'),
  concurrent: count('Requests at the same time.'),
})

const quality = z
  .number()
  .min(0)
  .max(1)
  .exactOptional()
  .describe('Share of runs that should end well, 0 to 1.')

export const routerSchema = z
  .strictObject({
    cloud: z
      .boolean()
      .default(false)
      .describe('Let requests leave this machine and its network. Until then such arms are listed, but off.'),
    tiers: z
      .array(z.enum(tiers))
      .min(1)
      .default([...tiers])
      .describe(
        'Where to look for an arm that is good enough, nearest first; what is not named is not used.',
      ),
    exploration: z
      .number()
      .min(0)
      .max(0.05)
      .default(0.05)
      .describe('Share of runs with little at stake that try the next best arm, to learn about it.'),
    classifier: z
      .string()
      .default(NANO_ID)
      .describe(`What classifies a request: \`${NANO_ID}\`, the id of an arm, or \`keywords\`.`),
    discover: z.boolean().default(true).describe('Look for model servers on this machine every 30 seconds.'),
    servers: z
      .record(z.string().describe('name'), z.url({ protocol: /^https?$/ }))
      .default({})
      .describe('Further servers to look at, such as `http://192.168.1.20:11434/v1`.'),
    minimum_quality: z
      .strictObject(
        Object.fromEntries(taskTypes.map((type) => [type, quality])) as Record<TaskType, typeof quality>,
      )
      .prefault({})
      .describe('The quality an arm should have for a type of task before a nearer tier is passed over.'),
    pools: z
      .record(z.string().describe('name'), pool)
      .default({})
      .describe("Limits, by an arm's id or by the `pool` that several arms name."),
  })
  .prefault({})
  .describe('How the router chooses among the arms.')

/** What the router must know of one arm; these keys belong to its own table, [arms.NAME]. */
export const armRouting = {
  enabled: z.boolean().default(true).describe('Whether the router may pick this arm.'),
  tier: z
    .enum(tiers)
    .exactOptional()
    .describe('Where it runs; `local` or `cloud` by its address when not set.'),
  parameters: z
    .number()
    .positive()
    .exactOptional()
    .describe('Size in billions of parameters; read from its name when not set.'),
  strengths: z
    .array(z.enum(taskTypes))
    .default([])
    .describe('Types of task it is good at; for these it may be preferred to arms that are nearer.'),
  price_input: z.number().min(0).exactOptional().describe('Dollars per million tokens sent.'),
  price_output: z.number().min(0).exactOptional().describe('Dollars per million tokens received.'),
  pool: z
    .string()
    .exactOptional()
    .describe('The entry of `router.pools` whose limits it shares; its id when not set.'),
}

type RouterConfig = z.output<typeof routerSchema>

export type RouterSettings = {
  readonly cloud: boolean
  readonly tiers: readonly Tier[]
  readonly exploration: number
  readonly minimumQuality: Readonly<Record<TaskType, number>>
  limits(pool: string): PoolLimits | undefined
}

export const toRouterSettings = (config: RouterConfig): RouterSettings => ({
  cloud: config.cloud,
  tiers: config.tiers,
  exploration: config.exploration,
  minimumQuality: { ...USUAL_QUALITY, ...config.minimum_quality },
  limits: (name) => (Object.hasOwn(config.pools, name) ? toLimits(config.pools[name] ?? {}) : undefined),
})

/** The further servers to look at. Those beyond this network are not even asked what they offer until that is allowed. */
export const toServers = ({ servers, cloud }: RouterConfig, mayLeave: boolean) =>
  Object.entries(servers)
    .map(([name, baseUrl]) => ({ name, baseUrl, local: isLocalAddress(baseUrl) }))
    .filter(({ local }) => local || (cloud && mayLeave))

/** What is dangerous to get wrong asks for more. */
const USUAL_QUALITY: Readonly<Record<TaskType, number>> = {
  boilerplate: 0.2,
  explain: 0.3,
  generation: 0.4,
  unit_test: 0.4,
  debug: 0.45,
  refactor: 0.45,
  review: 0.45,
  planning: 0.5,
  orchestration: 0.55,
  security_review: 0.6,
}

const toLimits = (limits: z.output<typeof pool>): PoolLimits =>
  defined({
    requestsPerSecond: limits.requests_per_second,
    requestsPerMinute: limits.requests_per_minute,
    requestsPerDay: limits.requests_per_day,
    inputPerMinute: limits.input_per_minute,
    outputPerMinute: limits.output_per_minute,
    tokensPerMonth: limits.tokens_per_month,
    dollarsPerMonth: limits.dollars_per_month,
    concurrent: limits.concurrent,
  })
