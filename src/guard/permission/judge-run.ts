/** Commands, and code in other languages: whether they may run, and whether only where nothing can be written. */
import { homedir } from 'node:os'
import type { Rule } from '../../protocol/guard.ts'
import type { Access } from '../../protocol/tool.ts'
import { alwaysFor } from '../always.ts'
import { type Reading, readCommand } from '../judge-command.ts'
import { codeRule, commandRule, mayHideDenied } from '../rules.ts'
import { hasHidden, shown } from '../shown.ts'
import { namedPaths } from './named-paths.ts'
import { denied, type Opinion, type Surroundings, weigh, withAlways } from './opinion.ts'
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
  const rule = commandRule(facts, rules) ?? hiddenRule(reading, surroundings)
  const opinion = weigh(rule, { access, asked, surroundings })
  if (opinion.verdict === 'allow' && readsOnly) return { ...opinion, readsOnly }
  if (opinion.verdict !== 'ask' || rule || hasHidden(access.target)) return opinion
  const offered = alwaysFor(reading, tool)
  const always = offered && commandRule(facts, offered) ? offered : undefined
  const why = `${opinion.why} (${surroundings.mayWrite ? 'it tried to write' : reading.why})`
  return { ...withAlways(opinion, always), why }
}

/** Never taken for a command that only reads, whatever a shell would make of it; nor is "always" offered. */
export async function judgeCode(access: Access, surroundings: Surroundings): Promise<Opinion> {
  const { rules, sandboxed } = surroundings
  const rule = codeRule(access.target, rules)
  return weigh(rule, { access, asked: { kind: 'run', sandboxed }, surroundings })
}

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

/** Where commands are denied, one that nobody can read is asked for, so that it is not one of those. */
function hiddenRule(reading: Reading, { rules, mode, tool }: Surroundings): Rule | undefined {
  if (mode === 'bypass' || !mayHideDenied(reading, rules)) return undefined
  return { tool, verdict: 'ask' }
}
