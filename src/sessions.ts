/**
 * Opens a conversation: the half of `app.ts` that joins store, guard, context, engine and the arm that answers into one
 * session. The order matters: the guard is open before the first word of the session is rendered or written.
 */
import type { OpenedArm } from './arms.ts'
import type { Config } from './config/schema.ts'
import { budgetFor } from './context/budget.ts'
import { loadPrompt } from './context/prompts.ts'
import { frozenSource, gatherSections, noteSources, onceSource, situationSource } from './context/sources.ts'
import { renderSystem } from './context/system.ts'
import { askOnce } from './engine/ask-once.ts'
import { offerTools, type ToolMode } from './engine/offer.ts'
import { prepareCall } from './engine/prepare.ts'
import { readBytesInside } from './guard/read-bytes.ts'
import { type Guards, type SessionGuards, throughFirewall } from './guards.ts'
import type { Logger } from './lib/log.ts'
import type { Lease, Reserve } from './protocol/arm.ts'
import type { Firewall } from './protocol/firewall.ts'
import type { Authorize } from './protocol/guard.ts'
import type { Message, ToolCall } from './protocol/message.ts'
import type { Source } from './protocol/source.ts'
import type { Files, Results, Tool } from './protocol/tool.ts'
import { assembleSession } from './session/assemble.ts'
import { createSessionHooks, type SessionHooks } from './session/hooks.ts'
import { lastRecap } from './session/recap.ts'
import { openStored, type Resume } from './session/resume.ts'
import { createSession, type Session } from './session/session.ts'
import { createSessionStore, type SessionStore, type StoredSession } from './session/store.ts'
import { type OnRunEnd, traceRun } from './session/trace-run.ts'
import { createWarnings, type Warnings } from './session/warnings.ts'
import { builtinTools } from './tools/all.ts'

/** What all sessions of one app stand on. */
export type SessionGround = {
  readonly config: Config
  /** Replaces the built-in system text. */
  readonly system?: string
  readonly promptsFolder: string
  readonly root: string
  readonly log: Logger
  readonly store: SessionStore
  readonly reserve: Reserve
  readonly onRunEnd?: OnRunEnd
  /** Whether another arm could go on where this one got stuck. */
  readonly hasOther?: (arm: string) => boolean
  /** The arm that would answer now, to measure by. */
  measure(): Lease
  readonly guards: Guards
  /** Several answers of whoever is reserved, voted on; absent = one is enough. */
  readonly swarm?: (reserve: Reserve, session: SwarmSession) => Reserve
  readonly classify?: OpenedArm['classify']
}

/** What the calls of a session mean and may reach, for a vote about them. */
type SwarmSession = {
  tools(): readonly Tool[]
  readonly files: Files
  readonly authorize: Authorize
  understand(call: ToolCall): { readonly call: ToolCall; readonly isMended: boolean } | undefined
}

export type SessionChoice = {
  readonly resume: Resume
  readonly canAsk: boolean
  /** A conversation somebody else keeps, for one more run: nothing of it is written down. */
  readonly passing?: Passing
}

type Passing = {
  readonly history: readonly Message[]
  /** What the one who asks wants said to the model beside our own words. */
  readonly instructions?: string
}

/** A conversation, open for writing until it is closed. */
export type AppSession = Session & {
  /** What the last session of this folder was about, for a person who comes back. */
  readonly recap?: string
}

const NOBODY =
  'Nobody is there to ask. The person can allow it with --permission accept-edits or --permission bypass.'

export async function openSession(
  ground: SessionGround,
  { resume, canAsk, passing }: SessionChoice,
): Promise<AppSession> {
  const { root } = ground
  const store = passing ? createSessionStore({}) : ground.store
  const tools = sessionTools(ground.config)
  const lastTime = canAsk && resume === 'new' ? await lastRecap(store, root) : undefined
  const warnings = createWarnings()
  let opening: { readonly guards: SessionGuards; readonly sources: readonly Source[] } | undefined
  const stored = await openStored(store, resume, {
    cwd: root,
    async start({ replay, folder }) {
      const place = { id: replay.info.id, warn: warnings.warn, ...(folder !== undefined && { folder }) }
      const guards = await ground.guards.openSession(place)
      const sources = sourcesOf(guards, { lastTime, instructions: passing?.instructions })
      opening = { guards, sources }
      const system = await systemText(ground, sources, tools)
      return { cwd: root, system: await guards.firewall.outgoing(system) }
    },
  })
  if (!opening) throw new Error('a session was opened without being started')
  const continued = passing ? { ...stored, replay: { ...stored.replay, messages: passing.history } } : stored
  const session = await joinSession(ground, {
    ...opening,
    stored: continued,
    tools,
    warnings,
    canAsk,
    resume,
  })
  return lastTime ? Object.assign(session, { recap: lastTime }) : session
}

type Words = { readonly lastTime: string | undefined; readonly instructions: string | undefined }

function sourcesOf({ files }: SessionGuards, { lastTime, instructions }: Words): readonly Source[] {
  const read = (path: string) => files.read(path).catch(() => undefined)
  return [
    ...(instructions ? [frozenSource('instructions', instructions)] : []),
    ...noteSources(read),
    situationSource(read, () => new Date()),
    ...(lastTime ? [onceSource('last session', lastTime)] : []),
  ]
}

type Joining = {
  readonly stored: StoredSession
  readonly guards: SessionGuards
  readonly sources: readonly Source[]
  readonly tools: readonly Tool[]
  readonly warnings: Warnings
  readonly canAsk: boolean
  readonly resume: Resume
}

async function joinSession(ground: SessionGround, joining: Joining): Promise<Session> {
  const { guards, tools, warnings, canAsk, sources } = joining
  const { firewall, files, exec, fetch, authorize, accept, audit } = guards
  const { engine } = ground.config
  const asked = throughFirewall(ground.reserve, firewall)
  // Outside the firewall: candidates are compared as the engine would run them.
  const reserve =
    ground.swarm?.(asked, { tools: () => tools, files, authorize, understand: understandWith(tools) }) ??
    asked
  const stored = { ...joining.stored, results: cleanResults(joining.stored.results, firewall) }
  const hooks = sessionHooks(ground, joining, reserve)
  const assembled = assembleSession({
    stored,
    sources,
    files,
    exec,
    fetch,
    tools: () => tools,
    readBytes: readBytesInside(ground.root),
    reserve,
    toolMode: toolMode(ground),
    maxTurns: engine.max_turns,
    maxMessages: engine.max_messages,
    ...(engine.temperature !== undefined && { temperature: engine.temperature }),
    ...(ground.classify && { classify: ground.classify }),
    ...(ground.hasOther && { hasOther: ground.hasOther }),
    guard: { authorize, accept, audit, firewall, ...(hooks && { hooks }) },
  })
  const session = await createSession({
    ...assembled,
    stored,
    startRun: warnings.during(traceRun(assembled.startRun, ground.log, ground.onRunEnd)),
    outgoing: firewall.outgoingValue,
    ...(hooks && { hooks }),
    ...(canAsk ? {} : { denial: NOBODY }),
    list: () => ground.store.list(ground.root),
    now: Date.now,
    onClose: () => guards.close(),
  })
  await hooks?.start(joining.resume !== 'new')
  return session
}

/** A call as the engine would read it, mended where that is safe. */
const understandWith =
  (tools: readonly Tool[]): SwarmSession['understand'] =>
  (call) => {
    const prepared = prepareCall(call, { tools, options: {}, atLimit: false })
    if (prepared.kind === 'hopeless') return undefined
    const { tool, input, repaired } = prepared
    return { call: { ...call, name: tool.name, input: JSON.stringify(input) }, isMended: repaired }
  }

/** What is kept outside the context is clean as well. */
const cleanResults = (results: Results, firewall: Firewall): Results => ({
  ...results,
  put: async (label, text) => results.put(firewall.outgoingNow(label), await firewall.outgoing(text)),
})

function sessionHooks(
  { root }: SessionGround,
  { stored, guards, warnings }: Joining,
  reserve: Reserve,
): SessionHooks | undefined {
  const hooks = guards.hooks?.({ prompt: (question, signal) => askOnce(reserve, question, signal) })
  const sessionId = stored.replay.info.id
  return hooks && createSessionHooks({ hooks, sessionId, cwd: root, warn: warnings.warn })
}

/** Made for each session: some tools remember what the session did. */
function sessionTools({ checks, exec }: Config): readonly Tool[] {
  const limits = { usualMs: exec.timeout_s * 1000, longMs: exec.long_timeout_s * 1000 }
  const tools: readonly Tool[] = builtinTools({ list: () => tools, checks, limits })
  return tools
}

const toolMode = ({ config }: SessionGround): ToolMode =>
  config.engine.force_two_stage ? 'two-stage' : config.engine.tools

/** Rendered once per session; nothing in it may change while the session goes on. */
async function systemText(
  ground: SessionGround,
  sources: readonly Source[],
  tools: readonly Tool[],
): Promise<string> {
  const lease = ground.measure()
  const count = (text: string) => lease.countTokens(text)
  const offered = offerTools({ mode: toolMode(ground), tools, options: {} }, lease, [])
  return renderSystem({
    identity: ground.system ?? (await loadPrompt('system.md', ground.promptsFolder)),
    sections: await gatherSections(sources, 'frozen', ''),
    budget: budgetFor(lease.arm.capabilities.window),
    toolTokens: count(JSON.stringify(offered.tools)),
    count,
  })
}
