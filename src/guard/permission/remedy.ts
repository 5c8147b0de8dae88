/**
 * What would allow exactly the call that was refused or could not be asked about. A pure function of the decision: the
 * weakest mode that would do is looked up in the same table that refused, so the advice cannot differ from it.
 */
import type { Remedy, Rule } from '../../protocol/guard.ts'
import { type PermissionMode, permissionModes } from '../../protocol/permission-modes.ts'
import { type ModeQuestion, modeVerdict } from './modes.ts'

export type Decision = {
  readonly mode: PermissionMode
  readonly question: ModeQuestion
  /** No user can be asked: a question counts as a refusal. */
  readonly unattended: boolean
  readonly cause:
    | { readonly by: 'mode' }
    | { readonly by: 'rule'; readonly rule: Rule }
    | { readonly by: 'secret' | 'governance' | 'key' | 'own' | 'once' }
    /** It may hold what a rule denies, and is asked for in every mode but the one that asks nothing. */
    | { readonly by: 'doubt' }
    | { readonly by: 'outside'; readonly folder: string }
    /** The path itself is the obstacle; the message says why. */
    | { readonly by: 'nothing' }
  /** A rule that would allow it, where the mode asks and one can be written. */
  readonly rule?: Rule
  /** A rule that asks for it whatever else allows it. */
  readonly asking?: Rule
}

export function remedyOf(decision: Decision): Remedy {
  const { asking, unattended, cause } = decision
  const remedy = remedyFor(decision)
  if (!asking || !unattended || cause.by === 'rule' || remedy.mode === undefined) return remedy
  return { otherwise: withoutAsking(asking, remedy.mode) }
}

function remedyFor(decision: Decision): Remedy {
  const { cause, rule } = decision
  if (cause.by === 'rule') return withoutRule(decision, cause.rule)
  if (cause.by === 'nothing') return {}
  if (cause.by === 'governance' || cause.by === 'doubt')
    return { mode: decision.unattended ? 'bypass' : (weakestMode(decision) ?? 'bypass') }
  if (cause.by === 'outside')
    return { otherwise: `It is reachable from a session started in ${cause.folder}.` }
  if (cause.by !== 'mode')
    return { otherwise: ALONE[cause.by], ...(canAsk(decision) && askingMode(decision)) }
  const mode = weakestMode(decision)
  const isAsked = modeVerdict(decision.mode, decision.question) === 'ask'
  return { ...(mode && { mode }), ...(rule && isAsked && { rule }) }
}

const ALONE = {
  secret: 'It may hold secrets, so only a person who is asked can allow it, once: no flag and no rule does.',
  once: 'Only a person who is asked can allow it, once: no flag and no rule does.',
  key: 'Keys are never opened; no flag and no rule allows it. The person can use another program for that.',
  own: "Covey's own configuration and data are changed with `covey config`, `covey permissions` and `covey trust` only.",
} as const

/** With someone to ask, a question will do. */
function weakestMode({ mode, question, unattended }: Decision): PermissionMode | undefined {
  const now = modeVerdict(mode, question)
  const enough = (candidate: PermissionMode): boolean => {
    const verdict = modeVerdict(candidate, question)
    return verdict === 'allow' || (verdict === 'ask' && !unattended && now === 'deny')
  }
  return permissionModes.find(enough)
}

/** Where the mode denies what a person could be asked about in another one. */
const canAsk = ({ mode, question, unattended, cause }: Decision): boolean =>
  (cause.by === 'secret' || cause.by === 'once') && !unattended && modeVerdict(mode, question) === 'deny'

const askingMode = (decision: Decision): Pick<Remedy, 'mode'> => {
  const mode = weakestMode(decision)
  return mode ? { mode } : {}
}

function withoutAsking({ tool, pattern }: Rule, mode: Remedy['mode']): string {
  const name = [tool, pattern].filter(Boolean).join(' ')
  const flag = mode === undefined ? '' : `, and use --permission ${mode}`
  return `The rule "${name}" asks each time; remove it from [[permission.rules]]${flag}.`
}

/** Of a call that is asked for several reasons: what meets all of them. */
export function joinRemedies([first, ...others]: readonly Remedy[]): Remedy | undefined {
  if (!first || others.length === 0) return first
  const all = [first, ...others]
  const alone = all.find(({ mode }) => mode === undefined)
  if (alone) return alone.otherwise === undefined ? {} : { otherwise: alone.otherwise }
  return { mode: permissionModes.findLast((mode) => all.some((each) => each.mode === mode)) ?? 'bypass' }
}

function withoutRule(decision: Decision, rule: Rule): Remedy {
  if (rule.verdict === 'deny')
    return { otherwise: 'Only removing that rule from [[permission.rules]] allows it.' }
  const verdict = modeVerdict(decision.mode, decision.question)
  const mode = verdict === 'allow' ? undefined : weakestMode(decision)
  return { otherwise: withoutAsking(rule, mode) }
}
