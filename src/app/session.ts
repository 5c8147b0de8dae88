/**
 * Opens a conversation: joins store, guard, context, engine and the arm that answers. The guard is open before the
 * first word of the session is rendered or written.
 */
import type { OpenedArm } from './arms.ts'
import type { Config } from '../config/schema.ts'
import { loadPrompt } from '../context/prompts.ts'
import { askOnce } from '../engine/ask-once.ts'
import { isStartedByUser } from '../guard/executable/recognise.ts'
import { makePatchFolder } from '../guard/paths/patch-folder.ts'
import { readBytesInside } from '../guard/paths/read-bytes.ts'
import { cleanResults } from './firewall.ts'
import type { ModeSwitch } from './permissions.ts'
import { createLook, type Look } from './session-look.ts'
import { type ArmWish, createArmWish, guardedReserve, type ReserveContext } from './session-reserve.ts'
import type { Guards, SessionGuards } from './guards.ts'
import type { Logger } from '../lib/log.ts'
import type { Lease } from '../protocol/arm.ts'
import type { Equipment, Equipping } from '../protocol/equipment.ts'
import type { Message } from '../protocol/message.ts'
import type { Evidence } from '../protocol/routing.ts'
import type { Source } from '../protocol/source.ts'
import type { Tool } from '../protocol/tool.ts'
import type { Undo } from '../protocol/undo.ts'
import { assembleSession, type AssembleParts } from '../session/assemble.ts'
import { createSessionHooks, type SessionHooks } from '../session/hooks.ts'
import { lastRecap } from '../session/recap.ts'
import { openStored, type Resume } from '../session/resume.ts'
import { listRunnable } from '../session/runnable.ts'
import { createSession, type Session } from '../session/session.ts'
import { createSessionStore, type SessionStore, type StoredSession } from '../session/store.ts'
import type { StartRun } from '../session/run.ts'
import { type OnRunEnd, traceRun } from '../session/trace-run.ts'
import { createWarnings, type Warnings } from '../session/warnings.ts'
import { sourcesOf, systemText, toolMode, type Words } from './session-start.ts'
import { sessionTools } from './session-tools.ts'
import { type ChildRuns, createChildRuns } from './subagents.ts'
import { notRecorded, type Recording, sessionUndo } from './undo.ts'
import { defined } from '../lib/object.ts'

export type SessionContext = ReserveContext & {
  readonly config: Config
  /** Replaces the built-in system text. */
  readonly system?: string
  readonly promptsFolder: string
  readonly root: string
  /** Where it is noted what was proposed in this project. */
  readonly patchRecord: string
  readonly log: Logger
  readonly store: SessionStore
  /** What memory, plans, skills and servers bring to a session. */
  readonly equip?: (session: Equipping) => Promise<Equipment>
  /** Tools of another machine in the place of those here. */
  readonly exchange?: (local: readonly Tool[]) => readonly Tool[]
  readonly onRunEnd?: OnRunEnd
  /** What became of a run later. */
  readonly report?: (runId: string, evidence: Evidence) => void
  /** Whether another arm could go on where this one got stuck. */
  readonly hasOther?: (arm: string) => boolean
  /** The arm that would answer now, to measure by. */
  measure(): Lease
  readonly guards: Guards
  readonly classify?: OpenedArm['classify']
  isAboutFailure(prompt: string): boolean
}

export type SessionChoice = {
  readonly resume: Resume
  readonly canAsk: boolean
  /** The model gets a summary of the last session. */
  readonly recap?: boolean
  /** It is begun for a packet of a plan. */
  readonly isPacket?: true
  /** A conversation stored by the client, for one more run: nothing of it is saved here. */
  readonly passing?: Passing
  /** Said to the model beside our own words. */
  readonly instructions?: string
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
  /** Whether a prompt stands for something else: `/name` of a skill. */
  expands(prompt: string): boolean
  readonly undo: Undo
  /** Who answers from the next request on. */
  readonly arm: ArmWish
  readonly mode: ModeSwitch
  readonly look: Look
  /** A text as it would leave for a model. */
  outgoing(text: string): Promise<string>
}

export async function openSession(
  context: SessionContext,
  { resume, canAsk, recap = false, isPacket, passing, instructions }: SessionChoice,
): Promise<AppSession> {
  const { root } = context
  const store = passing ? createSessionStore({}) : context.store
  const lastTime = canAsk && resume === 'new' ? await lastRecap(store, root) : undefined
  const warnings = createWarnings()
  let opening: Opening | undefined
  const stored = await openStored(store, resume, {
    cwd: root,
    async start({ replay, folder }) {
      const own = { ...defined({ folder }), ...(!canAsk && { unattended: true as const }) }
      const place = { id: replay.info.id, warn: warnings.warn, ...own }
      const words = {
        lastTime: recap ? lastTime : undefined,
        instructions: passing?.instructions ?? instructions,
        history: replay.messages,
      }
      opening = await openParts(context, place, words)
      // It was rendered when the session began and never changes; rendering may look through the whole project.
      if (replay.system !== undefined) return { cwd: root, system: replay.system }
      const { guards, sources, offered } = opening
      const system = await systemText(context, sources, offered())
      return { cwd: root, system: await guards.firewall.outgoing(system), ...(isPacket && { isPacket }) }
    },
  }).catch(async (error: unknown) => {
    await opening?.close()
    throw error
  })
  if (!opening) throw new Error('a session was opened without being started')
  const continued = passing ? { ...stored, replay: { ...stored.replay, messages: passing.history } } : stored
  const { equipment, guards } = opening
  const report = context.report && { report: context.report }
  const undo = sessionUndo(guards.undo, { clean: guards.firewall.outgoingNow, ...report })
  // A conversation stored by the client has no undo.
  const recording = passing ? notRecorded : undo
  const wish = createArmWish(context)
  const joining = { ...opening, stored: continued, warnings, canAsk, resume, recording, wish }
  const session = await joinSession(context, joining)
  return Object.assign(session, {
    undo,
    arm: wish,
    mode: guards.mode,
    outgoing: (text: string) => guards.firewall.outgoing(text),
    look: createLook({ files: guards.files, exec: context.guards.personExec, measure: context.measure }),
    ...(lastTime && { recap: lastTime }),
    expands: (prompt: string) => equipment.expand?.(prompt) !== undefined,
  })
}

type Opening = {
  readonly guards: SessionGuards
  readonly sources: readonly Source[]
  readonly tools: () => readonly Tool[]
  /** Those of them that no rule forbids altogether. A call of another one is still told why it is denied. */
  readonly offered: () => readonly Tool[]
  readonly equipment: Equipment
  /** Set once there is an engine to run them. */
  readonly children: { runs?: ChildRuns }
  /** Extra instructions for a subagent, beside the session's own. */
  readonly subagentWords: string
  /** Ends all that was opened. */
  close(): Promise<void>
}

type GuardScope = Parameters<Guards['openSession']>[0]
type ToolsOf = Pick<Opening, 'equipment' | 'guards'> & Pick<Words, 'history'>

async function openParts(context: SessionContext, place: GuardScope, words: Words): Promise<Opening> {
  const subagentWords = await loadPrompt('subagent.md', context.promptsFolder)
  const guards = await context.guards.openSession(place)
  const { files, exec, firewall } = guards
  let equipment = NOTHING
  const close = (): Promise<void> => equipment.close().finally(() => guards.close())
  try {
    const equipping = { files, exec, firewall, sessionId: place.id, warn: place.warn }
    equipment = (await context.equip?.(equipping)) ?? NOTHING
    const sources = [...sourcesOf(files, words), ...equipment.sources]
    const tools = toolsOf(context, { equipment, guards, history: words.history })
    return { guards, sources, equipment, subagentWords, close, ...tools }
  } catch (error) {
    await close()
    throw error
  }
}

function toolsOf(context: SessionContext, { equipment, guards: { forbids }, history }: ToolsOf) {
  const children: Opening['children'] = {}
  const runChild: ChildRuns['runChild'] = (...asked) => {
    if (!children.runs) throw new Error('a tool was called before its session was open')
    return children.runs.runChild(...asked)
  }
  const isOffered = ({ name }: Tool): boolean => !forbids(name)
  const tools = sessionTools({
    config: context.guards.runsChecks ? context.config : { ...context.config, checks: {} },
    equipment,
    runChild,
    isOffered,
    history,
    patches: () => makePatchFolder(context.root, context.patchRecord),
    ...defined({ exchange: context.exchange }),
  })
  return { tools, offered: () => tools().filter(isOffered), children }
}

const NOTHING: Equipment = { tools: () => [], sources: [], close: async () => {} }

type Joining = Opening & {
  readonly recording: Recording
  readonly stored: StoredSession
  readonly warnings: Warnings
  readonly canAsk: boolean
  readonly resume: Resume
  readonly wish: ArmWish
}

async function joinSession(context: SessionContext, joining: Joining): Promise<Session> {
  const { guards, warnings, canAsk, equipment, children, subagentWords } = joining
  const { firewall, authorize, accept, audit } = guards
  const stored = { ...joining.stored, results: cleanResults(joining.stored.results, firewall) }
  const guard = { authorize, accept, audit, firewall }
  const assemble = (hooks?: SessionHooks, arm?: string) =>
    assembleWith(context, { ...joining, stored }, { guard: { ...guard, ...defined({ hooks }) }, arm })
  const traced = (startRun: StartRun) => traceRun(startRun, context.log, context.onRunEnd)
  const runs = createChildRuns({
    sessionId: stored.replay.info.id,
    system: stored.replay.system,
    results: stored.results,
    instructions: subagentWords,
    startRun: (arm) => traced(assemble(hooks, arm).startRun),
    // A reviewer's own calls are not reviewed, or it would never come to its answer.
    startReview: () => assemble().startRun,
  })
  children.runs = runs
  const hooks = sessionHooks(context, joining, runs)
  const assembled = assemble(hooks)
  const session = await createSession({
    ...assembled,
    stored,
    compose: joining.recording.before(assembled.compose),
    startRun: warnings.during(
      joining.recording.during(listRunnable(runs.during(traced(assembled.startRun)), isStartedByUser)),
    ),
    outgoing: firewall.outgoingValue,
    ...defined({ expand: equipment.expand, hooks }),
    ...(canAsk ? {} : { denial: 'No user is available to approve it.' }),
    list: () => context.store.list(context.root),
    now: Date.now,
    onClose: joining.close,
  })
  await hooks?.start(joining.resume !== 'new')
  return session
}

type Run = Pick<AssembleParts, 'guard'> & { readonly arm: string | undefined }
function assembleWith(context: SessionContext, joining: Joining, { guard, arm }: Run) {
  const { guards, tools, offered, sources, stored } = joining
  const { files, exec, fetch } = guards
  const { engine } = context.config
  const world = { files, exec, fetch }
  return assembleSession({
    stored,
    sources,
    ...world,
    tools,
    offered,
    readBytes: readBytesInside(context.root),
    reserve: guardedReserve(context, { ...joining, arm }),
    toolMode: toolMode(context.config),
    maxTurns: engine.max_turns,
    maxMessages: engine.max_messages,
    ...defined({ temperature: engine.temperature, classify: context.classify, hasOther: context.hasOther }),
    ...(engine.evidence && { isAboutFailure: context.isAboutFailure }),
    guard,
  })
}

function sessionHooks(context: SessionContext, joining: Joining, runs: ChildRuns): SessionHooks | undefined {
  const { stored, guards, warnings } = joining
  const hooks = guards.hooks?.({
    prompt: (question, signal) => askOnce(guardedReserve(context, joining), question, signal),
    agent: runs.review,
  })
  const sessionId = stored.replay.info.id
  return hooks && createSessionHooks({ hooks, sessionId, cwd: context.root, warn: warnings.warn })
}
