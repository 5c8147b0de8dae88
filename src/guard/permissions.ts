/**
 * Whether a call may be made: deny rules, then protected paths, then the mode with the rules that allow or ask. Nothing
 * lifts a deny. Decides and remembers; containment, the sandbox and the secret firewall hold whatever is decided here.
 */
import type {
  Authorization,
  AuthorizeRequest,
  PermissionAnswer,
  Permissions,
  Rule,
  RuleBook,
  Verdict,
} from '../protocol/guard.ts'
import type { Access } from '../protocol/tool.ts'
import { isObject, readJson } from '../lib/json.ts'
import { alwaysFor } from './always.ts'
import { modeVerdict, type PermissionMode, refusal, verbs } from './modes.ts'
import { containPath } from './contain.ts'
import type { Grants, Operation } from './grants.ts'
import { readCommand } from './judge-command.ts'
import { isKeyPath, type Protection } from './protected-names.ts'
import { codeRule, commandRule, pathNames, pathRule, rulesFor, urlRule } from './rules.ts'
import { hasHidden, shown } from './shown.ts'

export type PermissionParts = {
  readonly mode: PermissionMode
  /** From the configuration. */
  readonly rules?: readonly Rule[]
  /** Where "always" is kept; absent = until the end of this session. */
  readonly book?: RuleBook
  /** The workspace; the first one is the folder that "always" is meant for. */
  readonly roots: readonly string[]
  /** Commands run in a sandbox. */
  readonly sandboxed: boolean
  readonly grants?: Grants
}

export function createPermissions(parts: PermissionParts): Permissions {
  const [folder = '/'] = parts.roots
  let remembered: readonly Rule[] = []
  const rules = (): readonly Rule[] => [
    ...(parts.rules ?? []),
    ...remembered,
    ...(parts.book?.list().filter((rule) => rule.folder === folder) ?? []),
  ]
  const judge = async (request: AuthorizeRequest): Promise<readonly Opinion[]> => {
    const tool = toolOf(request)
    const surroundings: Surroundings = { ...parts, tool, rules: rulesFor(tool, rules()) }
    if (request.access.length === 0) return [judgeToolAlone(surroundings)]
    return Promise.all(request.access.map((access) => judgeAccess(access, surroundings)))
  }
  return {
    authorize: async (request) => toAuthorization(await judge(request), toolOf(request)),
    async accept(request: AuthorizeRequest, answer: PermissionAnswer) {
      if (!answer.allow) return
      const opinions = await judge(request)
      for (const { grant } of opinions) if (grant) parts.grants?.give(grant.real, grant.operation)
      const { always } = toAuthorization(opinions, toolOf(request))
      if (!answer.remember || !always) return
      remembered = [...remembered, ...always.rules]
      await parts.book?.add(folder, always.rules)
    },
  }
}

/** A call may come wrapped in another one; what counts is what runs. */
function toolOf({ tool, call }: AuthorizeRequest): string {
  if (tool !== undefined || call.name !== 'call_tool') return tool ?? call.name
  const inner = readJson(call.input)
  return inner.ok && isObject(inner.value) && typeof inner.value['name'] === 'string'
    ? inner.value['name']
    : call.name
}

type Surroundings = Omit<PermissionParts, 'rules'> & {
  readonly tool: string
  readonly rules: readonly Rule[]
}

/** What one access comes to. */
type Opinion = {
  readonly verdict: Verdict
  readonly why: string
  /** Rules that would make the same call pass; absent where there are none. */
  readonly always?: readonly Rule[]
  /** The protected path that a yes opens. */
  readonly grant?: { readonly real: string; readonly operation: Operation }
}

function judgeToolAlone({ rules, tool }: Surroundings): Opinion {
  const [strictest] = rules.filter(({ pattern }) => pattern === undefined).toSorted(bySeverity)
  if (!strictest || strictest.verdict === 'allow')
    return { verdict: 'allow', why: `${tool} touches nothing outside` }
  return { verdict: strictest.verdict, why: ruleText(strictest, tool) }
}

const severity: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }
const bySeverity = (a: { verdict: Verdict }, b: { verdict: Verdict }): number =>
  severity[b.verdict] - severity[a.verdict]

function judgeAccess(access: Access, surroundings: Surroundings): Promise<Opinion> {
  if (access.kind === 'run' && access.language !== undefined) return judgeCode(access, surroundings)
  if (access.kind === 'run') return judgeRun(access, surroundings)
  if (access.kind === 'fetch') return judgeFetch(access, surroundings)
  if (access.kind === 'store') return judgeStore(access, surroundings)
  return judgePath({ kind: access.kind, target: access.target }, surroundings)
}

async function judgeRun(access: Access, surroundings: Surroundings): Promise<Opinion> {
  const { mode, rules, sandboxed, tool } = surroundings
  const reading = await readCommand(access.target)
  const rule = commandRule({ reading, sandboxed }, rules)
  const readsOnly = reading.kind === 'read-only'
  const opinion = weigh(rule, modeVerdict(mode, { kind: 'run', sandboxed, readsOnly }), {
    access,
    surroundings,
  })
  if (opinion.verdict !== 'ask' || rule || hasHidden(access.target)) return opinion
  const offered = alwaysFor(reading, tool)
  const always = offered && commandRule({ reading, sandboxed }, offered) ? offered : undefined
  return { ...opinion, why: `${opinion.why} (${reading.why})`, ...(always && { always }) }
}

/** Never taken for a command that only reads, whatever a shell would make of it; nor is "always" offered. */
async function judgeCode(access: Access, surroundings: Surroundings): Promise<Opinion> {
  const { mode, rules, sandboxed } = surroundings
  const rule = codeRule(access.target, rules)
  return weigh(rule, modeVerdict(mode, { kind: 'run', sandboxed }), { access, surroundings })
}

async function judgeFetch(access: Access, surroundings: Surroundings): Promise<Opinion> {
  const rule = urlRule(access.target, surroundings.rules)
  const opinion = weigh(rule, modeVerdict(surroundings.mode, { kind: 'fetch' }), { access, surroundings })
  if (opinion.verdict !== 'ask' || rule || !URL.canParse(access.target)) return opinion
  const pattern = `${new URL(access.target).origin}/*`
  return { ...opinion, always: [{ tool: surroundings.tool, pattern, verdict: 'allow' }] }
}

/** It has no path that a rule could name: rules for the tool count, and the mode. */
async function judgeStore(access: Access, surroundings: Surroundings): Promise<Opinion> {
  const byMode = modeVerdict(surroundings.mode, { kind: 'store' })
  return byMode === 'deny' ? weigh(undefined, byMode, { access, surroundings }) : judgeToolAlone(surroundings)
}

type PathAccess = { readonly kind: Operation; readonly target: string }

async function judgePath(access: PathAccess, surroundings: Surroundings): Promise<Opinion> {
  const { roots, mode, rules, tool } = surroundings
  const { kind, target } = access
  const { ok, real, why, protected: protection } = await containPath(target, { roots, operation: kind })
  const names = pathNames(target, real, roots)
  const rule = pathRule(names, rules)
  if (rule?.verdict === 'deny') return { verdict: 'deny', why: ruleText(rule, target) }
  const byMode = modeVerdict(mode, { kind })
  if (!ok && byMode !== 'deny') {
    const isOpenable = protection !== undefined && real !== undefined && !names.some(isKeyPath)
    if (!isOpenable) return { verdict: 'deny', why: `${shown(target)} cannot be ${PAST[kind]}: ${why}.` }
    return {
      verdict: 'ask',
      why: `${tool} ${verbs[kind]} ${shown(target)}, which ${DANGERS[protection]}`,
      grant: { real, operation: kind },
    }
  }
  const opinion = weigh(rule, byMode, { access, surroundings })
  const [name = target] = names
  const canRemember = opinion.verdict === 'ask' && !rule && !hasHidden(name)
  return canRemember
    ? { ...opinion, always: [{ tool, pattern: name, exact: true, verdict: 'allow' }] }
    : opinion
}

type Question = { readonly access: Access; readonly surroundings: Surroundings }

/** A rule may ask where the mode allows and allow where it asks; what the mode denies stays denied. */
function weigh(rule: Rule | undefined, byMode: Verdict, { access, surroundings }: Question): Opinion {
  const { tool, mode } = surroundings
  const target = shown(access.target)
  if (rule?.verdict === 'deny') return { verdict: 'deny', why: ruleText(rule, target) }
  if (byMode === 'deny') return { verdict: 'deny', why: refusal(mode, { ...access, target }) }
  const verdict = rule?.verdict ?? byMode
  if (verdict === 'allow') return { verdict, why: rule ? ruleText(rule, target) : `allowed by mode ${mode}` }
  const verb = access.language === undefined ? verbs[access.kind] : `runs ${access.language}:`
  return { verdict, why: `${tool} ${verb} ${target}` }
}

const DANGERS: Readonly<Record<Protection, string>> = {
  secret: 'may hold secrets',
  governance: 'decides what runs later',
}
const PAST: Readonly<Record<Operation, string>> = { read: 'read', write: 'written' }

const ruleText = ({ tool, pattern, verdict }: Rule, target: string): string =>
  verdict === 'deny'
    ? `${target} is denied by the rule "${[tool, pattern].filter(Boolean).join(' ')}", and nothing overrides that.`
    : `the rule "${[tool, pattern].filter(Boolean).join(' ')}" says ${verdict}`

/** The strictest opinion counts; "always" must settle every question of the call or it is not offered. */
function toAuthorization(opinions: readonly Opinion[], tool: string): Authorization {
  const [strictest] = opinions.toSorted(bySeverity)
  if (!strictest || strictest.verdict !== 'ask') {
    return { verdict: strictest?.verdict ?? 'allow', why: strictest?.why ?? `${tool} is allowed` }
  }
  const asked = opinions.filter(({ verdict }) => verdict === 'ask')
  const why = asked.map((opinion) => opinion.why).join('; ')
  const rules = asked.flatMap(({ always }) => always ?? [])
  if (asked.some(({ always }) => always === undefined)) return { verdict: 'ask', why }
  return { verdict: 'ask', why, always: { rules, text: alwaysText(rules) } }
}

const alwaysText = (rules: readonly Rule[]): string =>
  `always allow ${rules.map(({ pattern, exact }) => `${exact ? 'exactly ' : ''}"${pattern}"`).join(' and ')} in this folder`
