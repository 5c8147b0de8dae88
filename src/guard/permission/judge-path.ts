/** Files and web pages: containment, protected names, rules and the mode, in that order of strength. */
import { dirname } from 'node:path'
import type { Access } from '../../protocol/tool.ts'
import { containPath, OUTSIDE } from '../paths/contain.ts'
import type { Operation } from './grants.ts'
import { modeVerdict, refusal, verbs } from './modes.ts'
import { isKeyPath, type Protection } from '../paths/protected-names.ts'
import { pathNames, pathRule, urlRule } from './rules.ts'
import { hasHidden, shown } from '../shown.ts'
import { askingBy, denied, type Opinion, ruleText, type Surroundings, weigh, withAlways } from './opinion.ts'
import { isOwnName, isOwnPath } from './own-paths.ts'
import type { Rule } from '../../protocol/guard.ts'
import { type Decision, remedyOf } from './remedy.ts'

export async function judgeFetch(access: Access, surroundings: Surroundings): Promise<Opinion> {
  const rule = urlRule(access.target, surroundings.rules)
  const opinion = weigh(rule, { access, asked: { kind: 'fetch' }, surroundings })
  if (opinion.verdict !== 'ask' || rule || !URL.canParse(access.target)) return opinion
  const pattern = `${new URL(access.target).origin}/*`
  return withAlways(opinion, [{ tool: surroundings.tool, pattern, verdict: 'allow' }])
}

export type PathAccess = { readonly kind: Operation; readonly target: string }

export async function judgePath(access: PathAccess, surroundings: Surroundings): Promise<Opinion> {
  const { roots, mode, rules, tool, own = [], unattended = false } = surroundings
  const { kind, target } = access
  const {
    ok,
    real,
    why,
    protected: protection,
  } = await containPath(target, { ...surroundings, operation: kind })
  const names = pathNames(target, real, roots)
  const rule = pathRule({ names, root: roots[0] ?? '/' }, rules)
  const decision = { mode, question: { kind }, unattended, ...askingBy(rule) }
  if (rule?.verdict === 'deny')
    return denied(ruleText(rule, target), { ...decision, cause: { by: 'rule', rule } })
  if (real !== undefined && isOwnPath(real, own))
    return denied(`${shown(target)} belongs to Covey itself.`, { ...decision, cause: { by: 'own' } })
  const isLifted = mode === 'bypass' && protection === 'governance' && !names.some(isOwnName)
  if (!ok && !isLifted && modeVerdict(mode, { kind }) !== 'deny') {
    const isKey = names.some(isKeyPath)
    if (protection && real !== undefined && !isKey)
      return askProtected(access, surroundings, { protection, real, ...askingBy(rule) })
    const cause = isKey ? ({ by: 'key' } as const) : obstacle(why, real)
    return denied(`${shown(target)} cannot be ${PAST[kind]}: ${why}.`, { ...decision, cause })
  }
  if (!ok && !isLifted) {
    const cause = names.some(isKeyPath) ? ({ by: 'key' } as const) : obstacle(why, real)
    const refused = refusal(mode, { kind, target: shown(target) })
    return denied(refused, {
      ...decision,
      cause: protection && cause.by !== 'key' ? { by: protection } : cause,
    })
  }
  const opinion = weigh(rule, { access, asked: { kind }, surroundings })
  const [name = target] = names
  const canRemember = opinion.verdict === 'ask' && !rule && !hasHidden(name)
  return canRemember ? withAlways(opinion, [{ tool, pattern: name, exact: true, verdict: 'allow' }]) : opinion
}

const obstacle = (why: string | undefined, real: string | undefined): Decision['cause'] =>
  real !== undefined && why === OUTSIDE ? { by: 'outside', folder: dirname(real) } : { by: 'nothing' }

type Found = { readonly protection: Protection; readonly real: string; readonly asking?: Rule }

/** A protected name is asked for each time. */
function askProtected({ kind, target }: PathAccess, surroundings: Surroundings, found: Found): Opinion {
  const { tool, mode } = surroundings
  const { protection, real, asking } = found
  const by = protection === 'governance' && isOwnName(target) ? 'once' : protection
  const decision: Decision = {
    mode,
    question: { kind },
    unattended: true,
    cause: { by },
    ...(asking && { asking }),
  }
  return {
    verdict: 'ask',
    why: `${tool} ${verbs[kind]} ${shown(target)}, which ${DANGERS[protection]}`,
    grant: { real, operation: kind },
    remedy: remedyOf(decision),
  }
}

const DANGERS: Readonly<Record<Protection, string>> = {
  secret: 'may hold secrets',
  governance: 'decides what runs later',
}
const PAST: Readonly<Record<Operation, string>> = { read: 'read', write: 'written' }
