/**
 * Gives sessions what they have beside the built-in tools: memory, the code index, the plan, skills, MCP servers. What
 * outlives a session is opened once; a part that cannot be opened is a warning, and the rest works without it.
 */
import { join } from 'node:path'
import { mcpSchema } from '../config/mcp.ts'
import type { AppPaths } from '../config/paths.ts'
import type { Config } from '../config/schema.ts'
import { loadPrompt } from '../context/prompts.ts'
import { type ClosableExec, createExec } from '../guard/exec.ts'
import { openWatch } from '../guard/executable/open-watch.ts'
import type { Watch } from '../guard/executable/watch.ts'
import { createLaunch } from '../guard/launch.ts'
import { closedHistory } from '../guard/permission/history.ts'
import { detectSandbox } from '../guard/sandbox/detect.ts'
import type { NoSandbox, Sandbox } from '../guard/sandbox/context.ts'
import { openTrust } from '../guard/trust.ts'
import { openMcpServers } from './mcp.ts'
import { type Memories, openMemories } from './memory.ts'
import { sandboxOptions } from './sandbox.ts'
import { memoryEquipment } from '../memory/equipment.ts'
import type { NamedEmbedder } from '../memory/meaning.ts'
import { planEquipment } from '../plan/equipment.ts'
import { openPlanStore, planFileOf } from '../plan/store.ts'
import type { Lease } from '../protocol/arm.ts'
import type { Equipment, Equipping } from '../protocol/equipment.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Launch } from '../lib/process.ts'
import type { HookSpec } from '../protocol/hooks.ts'
import type { Source } from '../protocol/source.ts'
import type { Tool } from '../protocol/tool.ts'
import { isForSeveral } from '../router/keywords.ts'
import { skillsEquipment } from '../skills/equipment.ts'
import { type OpenedSkills, openSkills, skillFolders } from '../skills/open.ts'
import { builtinTools } from '../tools/all.ts'
import { SMALL_WINDOW } from '../protocol/token-limits.ts'

export type EquipperParts = {
  readonly config: Config
  readonly paths: AppPaths
  readonly env: NodeJS.ProcessEnv
  readonly root: string
  readonly promptsFolder: string
  /** Nothing is written down, and nothing learnt is read. */
  readonly incognito: boolean
  /** Keys of servers that the project configures. */
  readonly ofProject: ReadonlySet<string>
}

/** Known once it is known who answers. */
export type Answers = {
  /** The arm that would answer now, to measure by. */
  measure(): Lease
  embedder(): Promise<NamedEmbedder | undefined>
}

export type Equipper = {
  /** Of plugins; they count like the person's own. */
  readonly hooks: readonly HookSpec[]
  readonly warnings: readonly string[]
  equip(session: Equipping, answers: Answers): Promise<Equipment>
  /** Opens what the first session would wait for; it warns of what is wrong there. */
  prepare(answers: Answers): Promise<void>
  close(): Promise<void>
}

export async function openEquipper(parts: EquipperParts): Promise<Equipper> {
  const { config, paths, root, incognito } = parts
  const warnings: string[] = []
  const folders = skillFolders(paths, root)
  const learned = await openSkills(folders, await openTrust(folders.pins))
  const plan = openPlanStore(incognito ? undefined : planFileOf(paths.dataFolder, root))
  const kept = createKept(parts)
  const confined = createConfined(parts)
  const servers = withPlugins(config, learned, (text) => void warnings.push(text))
  const coordinator = await loadPrompt('coordinator.md', parts.promptsFolder)
  return {
    hooks: learned.hooks,
    warnings: [...learned.warnings, ...warnings],
    async equip(session, answers) {
      const remembered = await memoryOf({ ...parts, kept }, session, answers)
      const planned = planEquipment(plan)
      const reserved = () =>
        namesOf([...builtinTools({ list: () => [] }), ...planned.tools(), ...remembered.tools()])
      const skilled = skillsEquipment({
        skills: learned.skills,
        window: answers.measure().arm.capabilities.window,
        reserved: () => [...reserved(), 'spawn_subagents', 'propose_patch'],
        ...(!incognito && { functions: { ...(await knownFunctions(learned)), confined: confined.open } }),
      })
      const mcp = await openMcpServers(
        {
          config: servers,
          paths,
          env: parts.env,
          cwd: root,
          launch: launchOf(parts, confined, session.warn),
        },
        { incognito, warn: session.warn },
      )
      return together(
        [remembered, planned, deferring(skilled, FIXED), mcp],
        [coordinatorSource(coordinator, answers)],
      )
    },
    prepare: async ({ embedder }) => void (await kept.open(embedder)),
    close: async () => void (await Promise.all([kept.close(), confined.close()])),
  }
}

const namesOf = (tools: readonly Tool[]): readonly string[] => tools.map(({ name }) => name)

/** What another session promoted since the program started counts as well. */
const knownFunctions = async ({ functions }: OpenedSkills) => ({
  ...functions,
  known: (await functions.store.load()).functions,
})

/** The person's own servers count before those of plugins. */
function withPlugins(config: Config, { mcpServers }: OpenedSkills, warn: (text: string) => void): Config {
  const sound = Object.entries(mcpServers).flatMap(([name, server]) => {
    const parsed = mcpSchema.safeParse({ servers: { [name]: server } })
    if (!parsed.success) warn(`the MCP server ${name} of a plugin is left out: ${errorMessage(parsed.error)}`)
    return parsed.success ? Object.entries(parsed.data.servers) : []
  })
  const servers = { ...Object.fromEntries(sound), ...config.mcp.servers }
  return { ...config, mcp: { ...config.mcp, servers } }
}

const FIXED = ['skill', 'promote_skill']

/** Tools that come and go are found, never shown from the start: the list a model has seen stays as it was. */
function deferring(equipment: Equipment, shown: readonly string[] = []): Equipment {
  const deferred = new WeakMap<Tool, Tool>()
  const defer = (tool: Tool): Tool => {
    const known = deferred.get(tool) ?? { ...tool, deferred: true }
    deferred.set(tool, known)
    return known
  }
  return {
    ...equipment,
    tools: () => equipment.tools().map((tool) => (shown.includes(tool.name) ? tool : defer(tool))),
  }
}

const together = (all: readonly Equipment[], more: readonly Source[]): Equipment => ({
  tools: () => all.flatMap((each) => each.tools()),
  sources: [...all.flatMap(({ sources }) => sources), ...more],
  expand: (prompt) => all.map((each) => each.expand?.(prompt)).find((found) => found !== undefined),
  around: (tool) => all.reduce((inner, each) => each.around?.(inner) ?? inner, tool),
  close: async () => void (await Promise.all(all.map((each) => each.close()))),
})

type Kept = {
  /** A warning without a session is kept for the next session. */
  open(embedder: Answers['embedder'], warn?: Equipping['warn']): Promise<Memories>
  close(): Promise<void>
}

/** Opened when the first session needs it, and kept for the next. */
function createKept(parts: EquipperParts): Kept {
  let opened: Promise<Memories> | undefined
  const untold: string[] = []
  return {
    async open(embedder, warn) {
      const early = (text: string) => void untold.push(text)
      opened ??= openMemories({ ...parts, embedder, warn: warn ?? early })
      const memories = await opened
      if (warn) for (const text of untold.splice(0)) warn(text)
      return memories
    },
    close: async () => (await opened)?.close(),
  }
}

type Confinement = { readonly sandbox: Sandbox | NoSandbox; readonly watch?: Watch }

type Confined = {
  /** The sandbox itself, for servers of the project. */
  place(): Promise<Confinement>
  open(): Promise<ClosableExec>
  close(): Promise<void>
}

/** Where functions the agent made run: a sandbox of their own, also in a mode in which commands have none. */
function createConfined({ config, paths, env, root, incognito }: EquipperParts): Confined {
  let place: Promise<Confinement> | undefined
  let opened: Promise<ClosableExec> | undefined
  const openPlace = async (): Promise<Confinement> => {
    const sandbox = await detectSandbox(sandboxOptions({ config, paths, env, root }))
    if ('missing' in sandbox || config.permission.mode === 'bypass') return { sandbox }
    const store = incognito ? {} : { store: join(paths.dataFolder, 'withheld') }
    return { sandbox, watch: openWatch({ root, home: paths.home, env, sandbox, ...store }) }
  }
  const findPlace = (): Promise<Confinement> => (place ??= openPlace())
  const open = async (): Promise<ClosableExec> => {
    const { sandbox, watch } = await findPlace()
    if ('missing' in sandbox) {
      const message = `Functions run only in a sandbox, and there is none: ${sandbox.missing}.`
      throw new AppError('permission-denied', message, { failure: 'denied' })
    }
    const closed = closedHistory(config.permission.rules, root)
    return createExec({ cwd: root, env, sandbox, ...closed, ...(watch && { watch }) })
  }
  return {
    place: findPlace,
    open: () => (opened ??= open()),
    async close() {
      await (await opened?.catch(() => undefined))?.close()
      const found = await place?.catch(() => undefined)
      if (found && !('missing' in found.sandbox)) await found.sandbox.close()
    },
  }
}

function launchOf(
  { config, paths, root, ofProject }: EquipperParts,
  { place }: Confined,
  warn: Equipping['warn'],
): Launch {
  const isConfined = config.permission.mode !== 'bypass'
  return async (name, argv, where) => {
    const { sandbox, watch } = isConfined && ofProject.has(name) ? await place() : {}
    const launch = createLaunch({
      root,
      ofProject,
      warn,
      openTrust: () => openTrust(join(paths.dataFolder, 'trust.json')),
      ...(watch && { watch }),
      ...(sandbox && { sandbox: async () => sandbox }),
    })
    return launch(name, argv, where)
  }
}

async function memoryOf(
  { config, kept }: EquipperParts & { readonly kept: Kept },
  { files, exec, firewall, warn }: Equipping,
  { measure, embedder }: Answers,
): Promise<Equipment> {
  const lease = measure()
  const { window, readsRequestOnly } = lease.arm.capabilities
  return memoryEquipment({
    ...(await kept.open(embedder, warn)),
    repoMap: config.memory.repo_map && readsRequestOnly !== true,
    files,
    exec,
    outgoing: firewall.outgoing,
    window,
    countTokens: (text) => lease.countTokens(text),
  })
}

/** Said in front of work that falls into pieces: the first paragraph always, the rules where the window has room. */
function coordinatorSource(text: string, { measure }: Answers): Source {
  const [brief = ''] = text.split(/\n\s*\n/, 1)
  return {
    name: 'coordinator',
    place: 'run',
    async contribute(prompt) {
      if (!isForSeveral(prompt)) return undefined
      // Above a small window there is room for the rules of coordinating as well.
      return measure().arm.capabilities.window > SMALL_WINDOW ? text : brief
    },
  }
}
