/** Other machines, as it is configured. Nothing is found, asked or told until it is switched on. */
import { hostname } from 'node:os'
import { z } from 'zod'
import { natsSchema } from './nats.ts'
import { lanTimingDefaults } from '../protocol/peer-timing.ts'

const DEFAULT_PORT = 17_617

export const federationSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('Ask paired machines too. `covey serve --federation` switches it on for one server.'),
    name: z
      .string()
      .min(1)
      .max(60)
      .exactOptional()
      .describe('What other machines call this one; its host name when not set.'),
    host: z
      .string()
      .exactOptional()
      .describe('Address on which `covey serve` accepts peers; the same as `--host` with `--federation`.'),
    port: z.int().min(0).max(65_535).default(DEFAULT_PORT).describe('Port for peers.'),
    peers: z
      .array(z.string())
      .default([])
      .describe('Addresses of paired machines that cannot be found by themselves, `host:port`.'),
    discover: z.boolean().default(true).describe('Find machines of this network by mDNS, and be found.'),
    transport: z
      .enum(['lan', 'nats'])
      .default('lan')
      .describe('How machines reach each other: directly on one network, or through a NATS server.'),
    nats: natsSchema,
    health_s: z
      .number()
      .positive()
      .default(lanTimingDefaults.healthMs / 1000)
      .describe('Seconds between two status requests to each peer.'),
    gone_s: z
      .number()
      .positive()
      .default(lanTimingDefaults.goneMs / 1000)
      .describe('Seconds without an answer after which a peer is gone.'),
    stall_s: z
      .number()
      .positive()
      .default(lanTimingDefaults.stallMs / 1000)
      .describe('Seconds of silence after which an answering peer is given up.'),
  })
  .prefault({})
  .describe('Other machines of yours that answer and vote.')

type FederationConfig = z.output<typeof federationSchema>

/** In the words of the federation itself. */
export const toLanSettings = (config: FederationConfig) => ({
  name: config.name ?? hostname().replace(/\.local$/, ''),
  peers: config.peers,
  discover: config.discover,
  timing: {
    healthMs: config.health_s * 1000,
    goneMs: config.gone_s * 1000,
    stallMs: config.stall_s * 1000,
    beatMs: Math.min(lanTimingDefaults.beatMs, (config.stall_s * 1000) / 5),
  },
})
