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
} from '../../protocol/guard.ts'
import type { Access } from '../../protocol/tool.ts'
import type { Grants } from './grants.ts'
import type { PermissionMode } from '../../protocol/permission-modes.ts'
import { modeVerdict } from './modes.ts'
import { closingPath } from './denied-paths.ts'
import { judgeFetch, judgePath } from './judge-path.ts'
import { judgeCode, judgeRun } from './judge-run.ts'
import { denied, type Opinion, ruleText, type Surroundings, weigh } from './opinion.ts'
import { joinRemedies, remedyOf } from './remedy.ts'
import { isForbidden, rulesFor } from './rules.ts'
import { innerCall } from '../../lib/inner-call.ts'

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
  /** That sandbox has a network: only what is certain to read runs there unasked. */
  readonly network?: boolean
  readonly grants?: Grants
  /** No user can be asked; advice is given accordingly. */
  readonly unattended?: boolean
  /** Covey's own folders, closed in every mode. */
  readonly own?: readonly string[]
  /** Absent = the home folder of this process. */
  readonly home?: string
  /** Whether a file with a harmless name is run unprompted, because a link or a setting leads to it. */
  obeys?(real: string): Promise<boolean>
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
    const mayWrite = request.mayWrite ?? false
    const closing = closingPath(rules(), tool)
    const own = { tool, mayWrite, rules: rulesFor(tool, rules()), ...(closing && { closing }) }
    const surroundings: Surroundings = { ...parts, ...own }
    if (request.access.length === 0) return [judgeToolAlone(surroundings)]
    return Promise.all(request.access.map((access) => judgeAccess(access, surroundings)))
  }
  return {
    forbids: (tool) => isForbidden(tool, rules()),
    authorize: async (request) => toAuthorization(await judge(request), toolOf(request)),
    async accept(request: AuthorizeRequest, answer: PermissionAnswer) {
      if (!answer.allow) return
      const opinions = await judge(request)
      for (const { grant } of opinions) if (grant) parts.grants?.give(grant.real, grant.operation)
      const { always } = toAuthorization(opinions, toolOf(request))
      if (!answer.remember || !always) return
      remembered = [...remembered, ...always.rules]
      if (answer.remember === true) await parts.book?.add(folder, always.rules)
    },
  }
}

/** A call may come wrapped in another one; what counts is what runs. */
function toolOf({ tool, call }: AuthorizeRequest): string {
  return tool ?? innerCall(call).name
}

function judgeToolAlone({ rules, tool, mode }: Surroundings): Opinion {
  const [strictest] = rules.filter(({ pattern }) => pattern === undefined).toSorted(bySeverity)
  if (!strictest || strictest.verdict === 'allow')
    return { verdict: 'allow', why: `${tool} touches nothing outside` }
  const why = ruleText(strictest, tool)
  const cause = { by: 'rule', rule: strictest } as const
  const decision = { mode, question: { kind: 'store' }, unattended: true, cause } as const
  if (strictest.verdict === 'deny') return denied(why, decision)
  return { verdict: strictest.verdict, why, remedy: remedyOf(decision) }
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

/** It has no path that a rule could name: rules for the tool count, and the mode. */
async function judgeStore(access: Access, surroundings: Surroundings): Promise<Opinion> {
  const asked = { kind: 'store' } as const
  const isDenied = modeVerdict(surroundings.mode, asked) === 'deny'
  const alone = judgeToolAlone(surroundings)
  if (!isDenied || alone.verdict === 'deny') return alone
  const rule = surroundings.rules.find(({ pattern, verdict }) => pattern === undefined && verdict === 'ask')
  return weigh(rule, { access, asked, surroundings })
}

/** The strictest opinion counts; "always" must settle every question of the call or it is not offered. */
function toAuthorization(opinions: readonly Opinion[], tool: string): Authorization {
  const [strictest] = opinions.toSorted(bySeverity)
  if (!strictest || strictest.verdict !== 'ask') {
    const readsOnly = opinions.length > 0 && opinions.every((opinion) => opinion.readsOnly)
    const { verdict = 'allow', why = `${tool} is allowed` } = strictest ?? {}
    return { verdict, why, ...(readsOnly && { readsOnly }) }
  }
  const asked = opinions.filter(({ verdict }) => verdict === 'ask')
  const why = asked.map((opinion) => opinion.why).join('; ')
  const rules = asked.flatMap(({ always }) => always ?? [])
  const remedy = joinRemedies(asked.map((opinion) => opinion.remedy ?? {}))
  const history = asked.some(({ showsHistory }) => showsHistory) ? ({ showsHistory: true } as const) : {}
  const answer = { verdict: 'ask', why, ...(remedy && { remedy }), ...history } as const
  if (asked.some(({ always }) => always === undefined)) return answer
  return { ...answer, always: { rules, text: alwaysText(rules) } }
}

const alwaysText = (rules: readonly Rule[]): string =>
  `always allow ${rules.map(({ pattern, exact }) => `${exact ? 'exactly ' : ''}"${pattern}"`).join(' and ')} in this folder`
