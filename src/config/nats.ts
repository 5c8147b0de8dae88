/** The NATS server that joins machines of several networks, as it is configured. It is used once `url` is set. */
import { z } from 'zod'
import { defined } from '../lib/object.ts'
import { AppError } from '../protocol/error.ts'
import { filled, missingIn } from './variables.ts'
import { natsTimingDefaults } from '../protocol/peer-timing.ts'

const seconds = (usual: number, description: string) =>
  z.number().positive().max(86_400).default(usual).describe(description)

export const natsSchema = z
  .strictObject({
    url: z
      .string()
      .exactOptional()
      .describe('URL of the server: `nats://HOST:4222` on your own network, `tls://HOST:4222` beyond.'),
    user: z.string().exactOptional().describe('The user of this machine on the server.'),
    password: z.string().exactOptional().meta({
      description: 'Its password; `${VARIABLE}` is taken from the environment.',
      writeOnly: true,
    }),
    credentials: z
      .string()
      .exactOptional()
      .meta({ description: 'A `.creds` file instead of user and password.', format: 'path' }),
    ca: z.string().exactOptional().meta({
      description: "The server's certificate authority, if it is not a public one.",
      format: 'path',
    }),
    allow_plain: z
      .boolean()
      .default(false)
      .describe('Allow a server outside your network without TLS, for example inside a VPN.'),
    prefix: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,40}$/, 'must be 1 to 40 letters, digits, `-` and `_`')
      .default('covey')
      .describe('First word of all subjects; machines with the same one find each other.'),
    trusted: z
      .array(z.string().regex(/^[0-9a-f]{64}$/, 'must be the id of a machine, 64 hex digits'))
      .default([])
      .describe('Ids of machines that may ask here and are asked; paired ones need not be named.'),
    lanes: z.int().min(1).max(64).default(4).describe('Jobs of others answered at the same time.'),
    refresh_s: seconds(natsTimingDefaults.refreshMs / 1000, 'Seconds between two reports of this machine.'),
    gone_s: seconds(
      natsTimingDefaults.goneMs / 1000,
      'Seconds without a report after which a machine is gone.',
    ),
    ack_wait_s: seconds(
      natsTimingDefaults.ackWaitMs / 1000,
      'Seconds without progress after which a job is delivered again.',
    ),
    deadline_s: seconds(natsTimingDefaults.deadlineMs / 1000, 'Seconds an answer may take.'),
    first_token_s: seconds(
      natsTimingDefaults.firstTokenMs / 1000,
      'Seconds until the first token, even while the other machine reports progress.',
    ),
  })
  .prefault({})
  .describe('Machines on several networks, connected by a NATS server with JetStream.')

type NatsConfig = z.output<typeof natsSchema>

/** In the words of `openNats`. Throws `config-invalid` without an address, or when a variable is not set. */
export function toNatsSettings(config: NatsConfig, env: NodeJS.ProcessEnv) {
  if (config.url === undefined) {
    throw new AppError(
      'config-invalid',
      'federation.nats.url is not set; write nats://HOST:4222, or give --nats URL.',
    )
  }
  const password = config.password ?? ''
  const [missing] = missingIn([password], env)
  if (missing !== undefined) {
    const text = `federation.nats.password needs ${missing} in the environment; set it first.`
    throw new AppError('config-invalid', text)
  }
  return {
    server: {
      url: config.url,
      allowPlain: config.allow_plain,
      ...defined({
        user: config.user,
        password: filled(password, env) || undefined,
        credentialsFile: config.credentials,
        caFile: config.ca,
      }),
    },
    prefix: config.prefix,
    trusted: config.trusted,
    lanes: config.lanes,
    intervals: {
      refreshMs: config.refresh_s * 1000,
      goneMs: config.gone_s * 1000,
      ackWaitMs: config.ack_wait_s * 1000,
      deadlineMs: config.deadline_s * 1000,
      firstTokenMs: config.first_token_s * 1000,
    },
  }
}
