/** `GET /v1/federation/health`: the machines this one works with, how they are, and who else announces itself. */
import { z } from 'zod'
import type { PeerView } from '../../protocol/page.ts'
import { defineRoute, type Route } from '../http/route.ts'

const peer: z.ZodType<PeerView> = z.object({
  id: z.string(),
  name: z.string(),
  via: z.enum(['lan', 'nats']),
  state: z.enum(['here', 'gone']),
  why: z.string().exactOptional(),
  roundTripMs: z.number().exactOptional(),
  waiting: z.number().exactOptional(),
  running: z.number().exactOptional(),
  freeMemory: z.number().exactOptional(),
  lastSeenS: z.number().exactOptional(),
  models: z.array(
    z.object({ id: z.string(), window: z.number(), tokensPerSecond: z.number().exactOptional() }),
  ),
})

export const federationHealth = z.object({
  enabled: z.boolean(),
  id: z.string().exactOptional(),
  /** Where peers are let in, and why this address. */
  listening: z.object({ address: z.string(), why: z.string() }).exactOptional(),
  /** What keeps machines from being found. */
  problem: z.string().exactOptional(),
  peers: z.array(peer),
  /** Not paired; what they claim. */
  strangers: z.array(z.object({ id: z.string(), address: z.string() })),
})

export type FederationHealth = z.output<typeof federationHealth>

export const federationRoutes = (health: () => FederationHealth): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/v1/federation/health',
    scope: 'admin',
    summary: 'Other machines: who is here, who is gone and why',
    reply: federationHealth,
    handle: async () => ({ kind: 'json', body: health() }),
  }),
]
