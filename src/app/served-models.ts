/** The models that other programs ask for over HTTP: each arm by its name, the router's choice, and a vote. */
import { randomUUID } from 'node:crypto'
import { fixedTokens, messagesTokens } from '../context/count.ts'
import { fitClient } from '../context/fit-client.ts'
import { nearest } from '../lib/nearest.ts'
import type { ArmProfile, Lease, ReserveRequest } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { Firewall } from '../protocol/firewall.ts'
import type { Model, ModelRequest } from '../protocol/model.ts'
import type { Arm } from '../router/arm.ts'
import type { ModelParts, ReserveAbout, ServedModel } from '../server/parts.ts'
import type { ActivityLog } from '../server/web/activity.ts'
import { withSwarm } from '../swarm/lease.ts'
import { clientFirewalls } from './firewall.ts'
import type { AppContext } from './open.ts'

/** The arm that answers here: the only one, or the router's choice. */
export const AUTO = 'covey/auto'
/** The same, asked several times, with a vote. */
export const SWARM = 'covey/swarm'

/** Requests at a time: a model here shares its cores, one elsewhere has its own queue. */
const SLOTS = { local: 4, remote: 16 } as const

type ModelsOn = {
  readonly context: Pick<AppContext, 'sessions' | 'answering' | 'swarm'>
  arms(): ReadonlyMap<string, Arm>
  /** Called with votes as they happen. */
  readonly tell: ActivityLog['push']
}

export function modelsOf({ context, arms, tell }: ModelsOn): ModelParts {
  const { sessions, answering } = context
  const { workers, policy, arbiter } = context.swarm
  const swarm = { workers, policy: { ...policy, when: 'always' as const } }
  const firewallOf = clientFirewalls(sessions.root)
  const created = Math.floor(Date.now() / 1000)
  const find = (model: string): Lease => {
    const arm = arms().get(model)
    if (arm) return arm.lease('asked for by name')
    throw new AppError('request-invalid', unknownModel(model, [AUTO, SWARM, ...arms().keys()]), {
      status: 404,
    })
  }
  return {
    list: () => [
      ...[AUTO, SWARM].map((id) => ({ ...toServed(id, answering.measure().arm, created), ownedBy: 'covey' })),
      ...Array.from(arms().values(), (arm) => ({
        ...toServed(arm.id, arm.profile(), created),
        embeddings: answering.facts(arm.id).embed !== undefined,
      })),
    ],
    async reserve(model = AUTO, signal, about) {
      const isUsual = model === AUTO || model === SWARM
      const wish = { ...toRun(about), ...(model === SWARM && { stays: true }) }
      const lease = isUsual ? await answering.reserve(wish, signal) : find(model)
      const firewall = firewallOf(about?.client ?? '')
      const echoed = { ...lease, model: firewall.echo(lease.model) }
      if (model !== SWARM) return echoed
      const judge = arbiter && { arbiter: { ...arbiter, model: firewall.echo(arbiter.model) } }
      const elsewhere = elsewhereOf(answering, lease, firewall)
      const voting = withSwarm(echoed, { ...swarm, elsewhere, ...judge })
      return { ...voting, model: withVotesTold(voting.model, about?.client ?? '', tell) }
    },
    fit: (request, lease) => fitClient(request, windowOf(lease)),
    count: countRequest,
    slots: (model) =>
      answering.facts(model).slots ??
      (arms().get(model)?.profile().local === false ? SLOTS.remote : SLOTS.local),
    fillIn(lease, client) {
      const { fill } = answering.facts(lease.arm.id)
      return fill && firewallOf(client).echo(fill)
    },
    embed: embedWith(answering, arms),
  }
}

function embedWith(
  { facts }: AppContext['answering'],
  arms: () => ReadonlyMap<string, Arm>,
): NonNullable<ModelParts['embed']> {
  return async (model, texts, signal) => {
    const { embed } = facts(model)
    if (embed) return embed(texts, signal)
    const able = [...arms().keys()].filter((id) => facts(id).embed)
    const hint = able.length > 0 ? `these do: ${able.join(', ')}.` : 'no configured model does.'
    throw new AppError('request-invalid', `${model.slice(0, 100)} makes no embeddings; ${hint}`, {
      status: 404,
    })
  }
}

/** A vote that another program asked for is shown like one of a session. */
const withVotesTold = (model: Model, client: string, tell: ActivityLog['push']): Model => ({
  name: model.name,
  async *stream(request, signal) {
    const source = { kind: 'request', id: randomUUID(), client } as const
    try {
      for await (const event of model.stream(request, signal)) {
        if (event.type === 'vote') tell(source, event)
        yield event
      }
    } finally {
      tell(source, { type: 'request-end' })
    }
  },
})

/** Who on other machines answers as well; they are shown placeholders like everybody else. */
const elsewhereOf = ({ flock }: AppContext['answering'], { arm }: Lease, firewall: Firewall) =>
  flock?.elsewhere(arm.id).map((other) => ({ ...other, model: firewall.echo(other.model) })) ?? []

/** All requests of a client's conversation are one run to the router: they stay where their prefix is. */
const toRun = (about: ReserveAbout | undefined): ReserveRequest => ({
  task: about?.task ?? '',
  excluded: [],
  ...(about?.sessionId !== undefined && {
    runId: `${about.client} ${about.sessionId}`,
    sessionId: about.sessionId,
  }),
  ...(about?.vision !== undefined && { vision: about.vision }),
})

function unknownModel(model: string, known: readonly string[]): string {
  const guess = nearest(model, known)
  return `The model "${model.slice(0, 100)}" does not exist; ${guess ? `did you mean "${guess}"?` : `there are ${known.join(', ')}.`}`
}

const toServed = (id: string, { local, capabilities }: ArmProfile, created: number): ServedModel => ({
  id,
  ownedBy: local ? 'local' : 'remote',
  created,
  capabilities,
  embeddings: false,
})

const windowOf = ({ arm, countTokens }: Lease) => ({ window: arm.capabilities.window, count: countTokens })

function countRequest({ system, tools, messages }: ModelRequest, { arm, countTokens }: Lease): number {
  const { reasoning } = arm.capabilities
  return fixedTokens(system, tools, countTokens) + messagesTokens(messages, { count: countTokens, reasoning })
}
