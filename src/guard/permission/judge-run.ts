/** Commands, and code in other languages: whether they may run, and whether only where nothing can be written. */
import { homedir } from 'node:os'
import type { Access } from '../../protocol/tool.ts'
import { alwaysFor } from './always.ts'
import { type Reading, readCommand } from '../shell/judge.ts'
import { codeRule, commandRule, hiddenDeny } from './rules.ts'
import { showsHistory } from '../shell/git-history.ts'
import { hasHidden, shown } from '../shown.ts'
import { refusal } from './modes.ts'
import { namedPaths } from './named-paths.ts'
import { denied, doubtful, type Opinion, type Surroundings, weigh, withAlways } from './opinion.ts'
import { createOpenPaths } from './open-paths.ts'
import { isOwnPath } from './own-paths.ts'

export async function judgeRun(access: Access, surroundings: Surroundings): Promise<Opinion> {
  const { mode, rules, sandboxed, tool, unattended = false } = surroundings
  const reading = await readCommand(access.target)
  const readsOnly = seemsToRead(reading, surroundings)
  const asked = { kind: 'run', sandboxed, readsOnly } as const
  const own = ownPathIn(reading, surroundings)
  if (own !== undefined) {
    const why = `${shown(access.target)} names ${shown(own)}, which belongs to Covey itself.`
    return denied(why, { mode, question: asked, unattended, cause: { by: 'own' } })
  }
  const facts = { reading, sandboxed, place: placeOf(surroundings) }
  const rule = commandRule(facts, rules)
  const opinion = weigh(rule, { access, asked, surroundings })
  const doubt = doubtAbout(reading, surroundings)
  if (doubt && opinion.verdict === 'deny' && rule?.verdict !== 'deny') {
    const why = refusal(mode, { ...access, target: shown(access.target) })
    return denied(why, { mode, question: asked, unattended, cause: { by: 'doubt' } })
  }
  if (doubt) {
    const why = `${tool} runs a command: ${shown(access.target)} (${doubt.why})`
    return withHistory(doubtful(opinion, { rule: doubt.rule, why }), doubt.rule === surroundings.closing)
  }
  if (opinion.verdict === 'allow' && readsOnly) return { ...opinion, readsOnly }
  if (opinion.verdict !== 'ask' || rule || hasHidden(access.target)) return opinion
  const offered = alwaysFor(reading, tool)
  const always = offered && commandRule(facts, offered) ? offered : undefined
  const why = `${opinion.why} (${surroundings.mayWrite ? 'it tried to write' : reading.why})`
  return { ...withAlways(opinion, always), why }
}

/** Never taken for a command that only reads, whatever a shell would make of it; nor is "always" offered. */
export async function judgeCode(access: Access, surroundings: Surroundings): Promise<Opinion> {
  const { rules, sandboxed, mode, closing, tool, unattended = false } = surroundings
  const rule = codeRule(access.target, rules)
  const opinion = weigh(rule, { access, asked: { kind: 'run', sandboxed }, surroundings })
  if (mode === 'bypass' || !closing || !/\bgit\b/i.test(access.target)) return opinion
  if (opinion.verdict === 'deny' && rule?.verdict !== 'deny') {
    const refused = refusal(mode, { ...access, target: shown(access.target) })
    const question = { kind: 'run', sandboxed } as const
    return denied(refused, { mode, question, unattended, cause: { by: 'doubt' } })
  }
  const why = `${tool} runs ${access.language ?? 'code'}: ${shown(access.target)} (it may ask git for its history)`
  return withHistory(doubtful(opinion, { rule: closing, why }), true)
}

const withHistory = (opinion: Opinion, isAbout: boolean): Opinion =>
  isAbout && opinion.verdict === 'ask' ? { ...opinion, showsHistory: true } : opinion

const placeOf = ({ roots, home = homedir() }: Surroundings) => ({ cwd: roots[0] ?? '/', home })

/** In a sandbox that cannot be written and has no network, what merely could do more does no harm. */
function seemsToRead(reading: Reading, { sandboxed, network, mayWrite }: Surroundings): boolean {
  if (!sandboxed || mayWrite) return false
  return (network ? reading.kind : reading.confined.kind) === 'read-only'
}

/** The first path of Covey's own that a command names. */
function ownPathIn({ script, nested }: Reading, surroundings: Surroundings): string | undefined {
  const { own = [] } = surroundings
  if (own.length === 0) return undefined
  return namedPaths([script, ...nested], placeOf(surroundings)).find(({ path }) => isOwnPath(path, own))?.path
}

/** What is denied may be hidden inside: in an unreadable command, or in the history of git. */
function doubtAbout(reading: Reading, { rules, mode, closing, roots: [root = '/'] }: Surroundings) {
  if (mode === 'bypass') return undefined
  const hidden = hiddenDeny(reading, rules)
  if (hidden) return { rule: hidden, why: 'what it runs cannot be read beforehand' }
  if (!closing) return undefined
  const why = reading.isUnreadable
    ? 'what it runs cannot be read beforehand'
    : showsHistory(reading.text, [reading.script, ...reading.nested], createOpenPaths(rules, root))
  return why === undefined ? undefined : { rule: closing, why }
}
