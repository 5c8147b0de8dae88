/** What one access of a call comes to, and how rules and the mode are weighed against each other. Pure. */
import { remedyText } from '../../lib/remedy.ts'
import type { Remedy, Rule, Verdict } from '../../protocol/guard.ts'
import type { Access } from '../../protocol/tool.ts'
import type { Operation } from './grants.ts'
import type { PermissionMode } from '../../protocol/permission-modes.ts'
import { type ModeQuestion, modeVerdict, refusal, verbs } from './modes.ts'
import { shown } from '../shown.ts'
import { type Decision, remedyOf } from './remedy.ts'

export type Opinion = {
  readonly verdict: Verdict
  readonly why: string
  /** Rules that would make the same call pass; absent where there are none. */
  readonly always?: readonly Rule[]
  /** The protected path that a yes opens. */
  readonly grant?: { readonly real: string; readonly operation: Operation }
  /** Allowed because it seems to read; it must run where nothing can be written. */
  readonly readsOnly?: true
  /** Asked for because of git's history. */
  readonly showsHistory?: true
  /** What would allow it without a question. */
  readonly remedy?: Remedy
}

/** What every judgement of one call knows. */
export type Surroundings = {
  readonly tool: string
  readonly mode: PermissionMode
  /** Those that hold for this tool. */
  readonly rules: readonly Rule[]
  readonly roots: readonly string[]
  readonly sandboxed: boolean
  readonly network?: boolean
  readonly unattended?: boolean
  readonly own?: readonly string[]
  readonly home?: string
  readonly mayWrite: boolean
  /** A rule, for whatever tool, that closes a path which git may have in its history. */
  readonly closing?: Rule
  obeys?(real: string): Promise<boolean>
}

export type Question = {
  readonly access: Access
  readonly asked: ModeQuestion
  readonly surroundings: Surroundings
}

/** A rule may ask where the mode allows and allow where it asks; what the mode denies stays denied. */
export function weigh(rule: Rule | undefined, { access, asked, surroundings }: Question): Opinion {
  const { tool, mode, unattended = false } = surroundings
  const target = shown(access.target)
  const decision = { mode, question: asked, unattended, ...askingBy(rule) }
  if (rule?.verdict === 'deny')
    return denied(ruleText(rule, target), { ...decision, cause: { by: 'rule', rule } })
  const byMode = modeVerdict(mode, asked)
  if (byMode === 'deny')
    return denied(refusal(mode, { ...access, target }), { ...decision, cause: { by: 'mode' } })
  const verdict = rule?.verdict ?? byMode
  if (verdict === 'allow') return { verdict, why: rule ? ruleText(rule, target) : `allowed by mode ${mode}` }
  const verb = access.language === undefined ? verbs[access.kind] : `runs ${access.language}:`
  const cause = rule ? ({ by: 'rule', rule } as const) : ({ by: 'mode' } as const)
  return {
    verdict,
    why: `${tool} ${verb} ${target}`,
    remedy: remedyOf({ ...decision, unattended: true, cause }),
  }
}

export const askingBy = (rule: Rule | undefined): { readonly asking?: Rule } =>
  rule?.verdict === 'ask' ? { asking: rule } : {}

/** Asked for in every mode that would allow it, because it may be what a rule denies. */
export function doubtful(
  opinion: Opinion,
  { rule, why }: { readonly rule: Rule; readonly why: string },
): Opinion {
  if (opinion.verdict === 'deny') return opinion
  const name = [rule.tool, rule.pattern].filter(Boolean).join(' ')
  return {
    verdict: 'ask',
    why: `${why}, and the rule "${name}" denies some of that`,
    remedy: {
      otherwise: `A person who is asked can allow it, once, as long as the rule "${name}" is in [[permission.rules]].`,
      mode: 'bypass',
    },
  }
}

export const denied = (why: string, decision: Decision): Opinion => ({
  verdict: 'deny',
  why: `${why} ${remedyText(remedyOf(decision))}`.trim(),
})

/** With what "always" would mean; as a rule of the configuration it is part of the advice. */
export function withAlways(opinion: Opinion, always: readonly Rule[] | undefined): Opinion {
  if (!always) return opinion
  const [rule, ...more] = always
  const isWritable = rule && more.length === 0 && !(rule.exact && /[*?[{]/.test(rule.pattern ?? ''))
  return { ...opinion, always, remedy: { ...opinion.remedy, ...(isWritable && { rule }) } }
}

export const ruleText = ({ tool, pattern, verdict }: Rule, target: string): string =>
  verdict === 'deny'
    ? `${target} is denied by the rule "${[tool, pattern].filter(Boolean).join(' ')}", and nothing overrides that.`
    : `the rule "${[tool, pattern].filter(Boolean).join(' ')}" says ${verdict}`
