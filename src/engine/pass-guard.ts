/**
 * What stands between a call and its effect, in one order for every tool: allowed paths, the person's hooks,
 * permission, secrets; and on the way back secrets, then hooks. What a hook transforms is judged as if the model had
 * written it. The input with real secrets in it exists only between here and the tool.
 */
import type { Restored, RestoreRequest } from '../protocol/firewall.ts'
import type { AuditEntry, Authorization, AuthorizeRequest } from '../protocol/guard.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { PromptOptions } from '../protocol/session-api.ts'
import type { Access, ToolResult } from '../protocol/tool.ts'
import { isUnder } from '../lib/path.ts'
import type { ToolAccess } from './parts.ts'
import { accessOf, type Ready } from './prepare.ts'

type Surroundings = {
  readonly toolAccess: ToolAccess
  readonly options: PromptOptions
  told(): Promise<void>
  readonly signal: AbortSignal
}

/** `input` is what the tool gets; `ready.input` is what may be shown. */
export type Passed = {
  readonly ready: Ready
  readonly input: unknown
  /** It passed only because it seems to read. */
  readonly readsOnly?: true
  /** The person said yes to what is in git's history. */
  readonly showsHistory?: true
}

type Refused = { readonly refused: string }

export async function passGuard(call: Ready, surroundings: Surroundings): Promise<Passed | Refused> {
  const asked = await askHooks(call, surroundings)
  if ('refused' in asked) return asked
  const { ready } = asked
  const outside = outsideAllowed(ready, surroundings.options)
  if (outside) return refuse(ready, `${outside} is outside the paths allowed for this run.`, surroundings)
  return askPermission(ready, surroundings)
}

/** The result as the model, the log and watchers may see it. */
export async function leaveGuard(
  { ready }: Passed,
  result: ToolResult,
  { toolAccess, signal }: Surroundings,
): Promise<ToolResult> {
  const text = toolAccess.firewall ? await toolAccess.firewall.outgoing(result.text) : result.text
  const clean = { ...result, text }
  if (!toolAccess.hooks) return clean
  const { call, tool, input } = ready
  const transformed = await toolAccess.hooks.after({ callId: call.id, tool: tool.name, input }, clean, signal)
  return {
    ...clean,
    text: toolAccess.firewall ? await toolAccess.firewall.outgoing(transformed) : transformed,
  }
}

async function askHooks(
  ready: Ready,
  surroundings: Surroundings,
): Promise<{ readonly ready: Ready } | Refused> {
  const { hooks } = surroundings.toolAccess
  if (!hooks) return { ready }
  const { call, tool, input } = ready
  const facts = { callId: call.id, tool: tool.name, category: tool.category, input }
  const said = await hooks.before(facts, surroundings.signal)
  if ('denied' in said) return refuse(ready, said.denied, surroundings, 'hook')
  if (said.input === input) return { ready }
  const parsed = tool.input.safeParse(said.input)
  if (parsed.success) return { ready: { ...ready, input: parsed.data } }
  return refuse(
    ready,
    `A hook turned the input into something ${tool.name} cannot take.`,
    surroundings,
    'hook',
  )
}

/** A call that passed because it seems to read has tried to write: why it may not, or nothing when it may. */
export async function askToWrite({ ready }: Passed, surroundings: Surroundings): Promise<string | undefined> {
  const again = await askPermission(ready, surroundings, { mayWrite: true })
  return 'refused' in again ? again.refused : undefined
}

async function askPermission(
  ready: Ready,
  surroundings: Surroundings,
  more: Pick<AuthorizeRequest, 'mayWrite'> = {},
): Promise<Passed | Refused> {
  const { toolAccess, signal } = surroundings
  const { call, tool, input } = ready
  const facts = { call, tool: tool.name, category: tool.category }
  const request = { ...facts, access: accessOf(tool, input), ...more }
  const permission = withDoubt(await toolAccess.authorize(request), call)
  if (permission.verdict === 'deny') return refuse(ready, permission.why, surroundings)
  const restoring = toRestore(ready)
  const restored = (await toolAccess.firewall?.restore(restoring)) ?? { verdict: 'pass', input }
  if (restored.verdict === 'refuse') return refuse(ready, restored.why, surroundings, 'firewall')
  if (permission.verdict === 'allow' && restored.verdict === 'pass') {
    const { readsOnly } = permission
    return { ready, input: restored.input, ...(readsOnly && { readsOnly }) }
  }

  // The user sees the start of the call before the question.
  await surroundings.told()
  const question = toQuestion(request, permission, restored)
  const answer = await toolAccess.askPermission(question, signal)
  if (!answer.allow) return refuse(ready, answer.reason ?? 'The person said no.', surroundings, 'person')
  await toolAccess.accept?.(request, answer)
  const secrets = question.secrets?.map(({ placeholder }) => placeholder)
  tellAudit(
    ready,
    { what: 'approved', why: question.why, by: 'person', ...(secrets && { secrets }) },
    toolAccess,
  )
  const shows = permission.showsHistory ? ({ showsHistory: true } as const) : {}
  if (restored.verdict === 'pass') return { ready, input: restored.input, ...shows }
  return { ready, input: await toolAccess.firewall?.approve(restoring), ...shows }
}

/** The model's own doubt: no mode and no rule answers it, and a yes holds for this call only. */
function withDoubt(permission: Authorization, { unsure }: ToolCall): Authorization {
  const { verdict, why, readsOnly } = permission
  if (unsure === undefined || verdict === 'deny' || readsOnly) return permission
  const reason = verdict === 'ask' ? `${why}; ${unsure}` : unsure
  return { verdict: 'ask', why: reason, remedy: { otherwise: SPELL_OUT } }
}

const SPELL_OUT = 'Repeat the request with the exact path, text or command.'

const toRestore = ({ tool, input }: Ready): RestoreRequest => ({
  tool: tool.name,
  category: tool.category,
  input,
  targets: accessOf(tool, input).flatMap(({ kind, target }) => (kind === 'write' ? [target] : [])),
})

type Asking = Exclude<Restored, { verdict: 'refuse' }>

/** One question, whatever it is about. "Always" is never about secrets. */
function toQuestion({ call, access }: AuthorizeRequest, permission: Authorization, restored: Asking) {
  const { why, always, remedy } = permission
  const question = { call, access, ...(remedy && { remedy }) }
  if (restored.verdict === 'pass') return { ...question, why, ...(always && { always }) }
  const reasons = permission.verdict === 'ask' ? [why, restored.why] : [restored.why]
  return { call, access, why: reasons.join('; '), secrets: restored.secrets }
}

function refuse(
  ready: Ready,
  why: string,
  { toolAccess }: Surroundings,
  by: AuditEntry['by'] = 'permissions',
): Refused {
  tellAudit(ready, { what: 'refused', why, by }, toolAccess)
  return { refused: why }
}

function tellAudit(
  { tool, input }: Ready,
  entry: Pick<AuditEntry, 'what' | 'why' | 'by' | 'secrets'>,
  toolAccess: ToolAccess,
): void {
  toolAccess.audit?.({
    ...entry,
    tool: tool.name,
    targets: accessOf(tool, input).map(({ target }) => target),
  })
}

/** Only reads and writes have a path; what a command or a URL reaches is unknown. */
function outsideAllowed(ready: Ready, { allowedPaths }: PromptOptions): string | undefined {
  if (!allowedPaths) return undefined
  const isInside = ({ kind, target }: Access): boolean =>
    (kind === 'read' || kind === 'write') && allowedPaths.some((path) => isUnder(path, target))
  return accessOf(ready.tool, ready.input).find((access) => !isInside(access))?.target
}
