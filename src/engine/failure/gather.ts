/**
 * Evidence for a request about a failure, gathered before the first turn: the command that fails is run once, and what
 * it prints is shown with the lines of the places it names. Only where a call of the model would run unasked, through
 * the same guard; any obstacle means that there is no evidence, never a question or an error.
 */
import { listProject } from '../../lib/list-project.ts'
import { AppError } from '../../protocol/error.ts'
import type { RunEvent } from '../../protocol/event.ts'
import type { PromptOptions } from '../../protocol/session-api.ts'
import { isAllowed } from '../offer.ts'
import type { ToolAccess } from '../parts.ts'
import { accessOf, prepareCall, type Ready } from '../prepare.ts'
import { runTool } from '../run-tool.ts'
import { failingCommand, PROJECT_FILES, type ProjectFacts } from './command.ts'
import { findLocations, type Location } from '../../lib/output/locations.ts'
import { excerptOf, type Excerpts } from './excerpt.ts'

export type EvidenceParts = {
  readonly runId: string
  readonly toolAccess: Omit<ToolAccess, 'askPermission'>
  readonly options: PromptOptions
  readonly window: number
  countTokens(text: string): number
  emit(event: RunEvent): void
  now(): number
}

/** A user waits no longer than this for a first word. */
const LIMIT_MS = 30_000
/** Of the window. */
const SHARE = 0.08

/** One paragraph for the user message, or nothing. Throws only when `signal` aborts. */
export async function gatherEvidence(
  prompt: string,
  parts: EvidenceParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (parts.options.toolChoice === 'none' || !isAllowed('run_command', parts.options)) return undefined
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])
  try {
    const command = failingCommand(prompt, await projectFacts(parts.toolAccess))
    const output = command === undefined ? undefined : await failureOf(command, parts, limit)
    if (command === undefined || output === undefined) return undefined
    const places = await existing(findLocations(output), parts.toolAccess, limit)
    return excerptOf({ command, output, places }, excerptParts(parts))
  } catch {
    // Whatever went wrong here costs the run nothing but the evidence.
    signal.throwIfAborted()
    return undefined
  }
}

async function projectFacts({ context: { files } }: EvidenceParts['toolAccess']): Promise<ProjectFacts> {
  const entries = await Promise.all(
    PROJECT_FILES.map(async (path) => [path, await files.read(path).catch(() => undefined)] as const),
  )
  const texts = new Map<string, string | undefined>(entries)
  return { has: (path) => texts.get(path) !== undefined, text: (path) => texts.get(path) ?? '' }
}

/** What the command prints when it fails; nothing when it may not run unasked, passes, or could not really run. */
async function failureOf(
  command: string,
  parts: EvidenceParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { toolAccess, options } = parts
  const call = {
    id: `evidence-${parts.runId}`,
    name: 'run_command',
    input: JSON.stringify({ command }),
  }
  const prepared = prepareCall(call, { tools: toolAccess.list(), options, atLimit: false })
  if (prepared.kind === 'hopeless' || !(await runsUnasked(prepared, toolAccess))) return undefined
  const before = new Set(toolAccess.context.exec.jobs().map(({ id }) => id))
  const { message } = await runTool(prepared, environmentFor(parts, signal)).finally(() =>
    stopJobs(toolAccess, before),
  )
  const isFailure = !message.ok && message.code === 'exit-code' && !NOT_RUN.test(message.text)
  return isFailure ? message.text : undefined
}

/** The program is missing, or the sandbox kept it from working: that says nothing about the project. */
const NOT_RUN = /\[exit 12[67]\]|^\[sandbox: /m

async function runsUnasked(
  { call, tool, input }: Ready,
  toolAccess: EvidenceParts['toolAccess'],
): Promise<boolean> {
  const request = { call, tool: tool.name, category: tool.category, access: accessOf(tool, input) }
  return (await toolAccess.authorize(request)).verdict === 'allow'
}

/** As without a user: a call that needs approval is refused. */
const environmentFor = (parts: EvidenceParts, signal: AbortSignal) => ({
  toolAccess: {
    ...parts.toolAccess,
    askPermission: async () => ({ allow: false, reason: NOT_ASKED }) as const,
    context: {
      ...parts.toolAccess.context,
      ask: () => Promise.reject(new AppError('permission-denied', NOT_ASKED)),
    },
  },
  trace: { turns: 0, calls: [] },
  options: parts.options,
  pageTokens: Number.POSITIVE_INFINITY,
  countTokens: parts.countTokens,
  emit: parts.emit,
  told: async () => {},
  now: parts.now,
  signal,
})

const NOT_ASKED = 'Evidence is gathered without questions.'

/** What goes on behind the command's back would go on behind the person's. */
async function stopJobs(
  { context: { exec } }: EvidenceParts['toolAccess'],
  before: ReadonlySet<string>,
): Promise<void> {
  const left = exec.jobs().filter(({ id, state }) => state === 'running' && !before.has(id))
  await Promise.all(left.map(({ id }) => exec.stop(id).catch(() => undefined)))
}

/** Looking for where a name lies must not take what the command left of the time. */
const LIST_MS = 3_000

/** Those that are files of the project, under their path from its root. `go test` names files without their folder. */
async function existing(
  places: readonly Location[],
  { context: { files, exec } }: EvidenceParts['toolAccess'],
  signal: AbortSignal,
): Promise<readonly Location[]> {
  const inside = places.flatMap(({ path, line }) => {
    const relative = path.startsWith(`${files.root}/`) ? path.slice(files.root.length + 1) : path
    return relative.startsWith('/') || relative.startsWith('../') ? [] : [{ path: relative, line }]
  })
  const isFile = async (path: string) => (await files.info(path).catch(() => undefined))?.kind === 'file'
  const there = await Promise.all(inside.map(({ path }) => isFile(path)))
  if (there.every(Boolean)) return inside
  const { paths } = await listProject({ files, exec, timeoutMs: LIST_MS }, signal)
  return inside.flatMap((place, index) => {
    if (there[index]) return [place]
    const found = paths.filter((path) => path.endsWith(`/${place.path}`))
    const [path] = found
    return path !== undefined && found.length === 1 ? [{ ...place, path }] : []
  })
}

const excerptParts = ({ toolAccess, window, countTokens }: EvidenceParts): Excerpts => ({
  tokens: Math.floor(window * SHARE),
  countTokens,
  read: (path) => toolAccess.context.files.read(path).catch(() => undefined),
})
