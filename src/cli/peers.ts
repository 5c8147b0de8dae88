/**
 * `covey peers`: other machines of yours. One invites, the other joins with the code; after that they know each other.
 */
import { AppError } from '../protocol/error.ts'
import type { PeerView } from '../protocol/page.ts'
import { cleanControl } from '../lib/clean.ts'
import { requireAction } from './action.ts'
import type { Command, CommandContext } from './command.ts'

type Scope = 'generate' | 'tools' | 'status'

type Known = { readonly id: string; readonly name: string; readonly scopes: readonly Scope[] }

/** `problem`: why machines cannot be seen. */
type Look = { readonly peers: readonly PeerView[]; readonly problem?: string }

/** What the rest of the program does about other machines. */
export type Peers = {
  invite(): Promise<{
    readonly code: string
    readonly drawing?: string
    readonly addresses: readonly string[]
    readonly isServing: boolean
  }>
  join(code: string, signal: AbortSignal): Promise<Known>
  /** Of this machine. */
  id(): Promise<string>
  list(): Promise<readonly Known[]>
  /** Asks each of them now. */
  look(): Promise<Look>
  setScopes(wish: string, scopes: readonly Scope[]): Promise<Known>
  remove(wish: string): Promise<Known>
  /** The server that may run here. */
  readonly url: string
}

export type OpenPeers = (env: NodeJS.ProcessEnv, cwd: string) => Promise<Peers>

type Action = (peers: Peers, context: CommandContext) => Promise<void>

export const createPeersCommand = (open: OpenPeers): Command => ({
  name: 'peers',
  summary: 'Pair with other machines that answer and vote',
  usage: '[ls | invite | join <code> | rm <name> | scope <name> <generate,status,tools>]',
  examples: [
    'covey peers invite',
    'covey peers join CODE',
    'covey peers',
    'covey peers scope laptop generate,status,tools',
    'covey peers rm laptop',
  ],
  async run(context) {
    const [name = 'ls', ...args] = context.args
    const action = requireAction('peers', actions, name)
    await action(await open(context.env, context.cwd), { ...context, args })
    return 0
  },
})

const actions: Readonly<Record<string, Action>> = {
  async ls(peers, context) {
    context.io.out(`this machine is ${await peers.id()}\n`)
    context.io.out(await renderPeers(peers, context))
  },
  async invite(peers, { io }) {
    const { code, drawing, addresses, isServing } = await peers.invite()
    if (drawing !== undefined && io.isTty) io.err(drawing)
    io.out(`${code}\n`)
    io.err(`covey: on the other machine, within 10 minutes: covey peers join ${code.slice(0, 12)}…\n`)
    io.err(`covey: it will look for this machine at ${addresses.join(', ') || 'no address'}.\n`)
    if (!isServing) {
      const host = addresses[0] ?? 'ADDRESS'
      io.err(
        `covey: no server accepts peers yet; start \`covey serve --federation --host ${host}\` here first.\n`,
      )
    }
  },
  async join(peers, { args, io, signal }) {
    const { name, id } = await peers.join(
      requireWord(args[0], 'which code? Give the line that was printed.'),
      signal,
    )
    io.out(`Paired with ${name} (${id.slice(0, 8)}).\n`)
  },
  async rm(peers, { args, io }) {
    const { name, id } = await peers.remove(requireWord(args[0], 'which machine? Give its name.'))
    io.out(`Removed ${name} (${id.slice(0, 8)}). Remove this machine there as well.\n`)
  },
  async scope(peers, { args, io }) {
    const wish = requireWord(args[0], 'which machine? Give its name.')
    const { name, scopes } = await peers.setScopes(wish, readScopes(args[1] ?? ''))
    io.out(`${name} may: ${scopes.join(', ') || 'nothing'}.\n`)
  },
}

function requireWord(value: string | undefined, otherwise: string): string {
  if (value === undefined) throw new AppError('config-invalid', otherwise)
  return value
}

const known: readonly Scope[] = ['generate', 'tools', 'status']

function readScopes(given: string): readonly Scope[] {
  const words = given.split(',').flatMap((text) => (text.trim() === '' ? [] : [text.trim()]))
  return [...new Set(words)].map((text) => {
    const scope = known.find((one) => one === text)
    if (scope) return scope
    throw new AppError('config-invalid', `"${text}" is not a scope; the scopes are ${known.join(', ')}.`)
  })
}

/** One line for each; how they are is known by the server that runs here, or by asking them. */
export async function renderPeers(peers: Peers, context: CommandContext): Promise<string> {
  const paired = await peers.list()
  if (paired.length === 0) return 'No machine is paired yet; `covey peers invite` makes a code for one.\n'
  const { peers: seen, problem } = (await fromServer(peers, context)) ?? (await peers.look())
  const error = problem === undefined ? '' : cleanControl(`ERROR: ${problem}\n`)
  const lines = paired.map(({ id, name, scopes }) => {
    const { state = 'gone', why, models = [], lastSeenS: ago } = seen.find((one) => one.id === id) ?? {}
    const heard = ago === undefined ? '' : `; heard ${ago} s ago`
    const how =
      state === 'here'
        ? `${models.map((model) => model.id).join(', ') || 'no models'}${heard}`
        : (why ?? 'not seen yet')
    return cleanControl(`${name.padEnd(20)}  ${id.slice(0, 8)}  ${state}  ${scopes.join(',')}  ${how}\n`)
  })
  return [error, ...lines].join('')
}

async function fromServer({ url }: Peers, { env }: CommandContext): Promise<Look | undefined> {
  const token = env['COVEY_TOKEN']
  if (token === undefined) return undefined
  const { call } = await import('../client/call.ts')
  const limit = AbortSignal.timeout(1_000)
  const response = await call({ baseUrl: url, token }, '/v1/federation/health', { signal: limit }).catch(
    () => undefined,
  )
  const health = (await response?.json().catch(() => undefined)) as
    | (Look & { readonly enabled: boolean })
    | undefined
  return health?.enabled ? health : undefined
}
