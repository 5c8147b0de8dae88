/**
 * Makes the plan for one command: how the project is now, what in it is hidden under which names, and what git needs to
 * see of that. Everything is looked at again for each command; the plan itself is made by `plan.ts`.
 */
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isInside } from '../../lib/path.ts'
import { protectionOfName } from '../paths/protected-names.ts'
import type { Facts } from './facts.ts'
import type { GitView } from './git-view.ts'
import type { SandboxContext, Terms } from './context.ts'
import { createTwins, hideAlso } from './hidden-files.ts'
import { type Alias, type Plan, planMounts, type PlanTerms } from './plan.ts'
import { createSteadyLook } from './steady-look.ts'
import { stampOf } from './tree-folder.ts'
import type { TreeEntry, TreeState } from './tree.ts'

export type Planned = Pick<Plan, 'mounts'> & {
  readonly watched: ReadonlyMap<string, string | undefined>
  readonly readsOnly: boolean
}

export function createPlanner(context: SandboxContext, view: GitView) {
  const { facts, tree } = context
  const look = createSteadyLook(tree)
  const twins = createTwins()
  return async (terms: Terms, granted?: string): Promise<Planned> => {
    const walked = await look()
    const aliases = findAliases(facts.git?.root ?? facts.project, walked)
    const linked = hideAlso(walked, aliases.flatMap(toHidden))
    const state = hideAlso(linked, twins.find(linked))
    const { standIns, mounts } = view.look(state)
    const grant = granted === undefined ? {} : { granted }
    const readsOnly = terms.readsOnly ?? false
    const stores = context.hidesHistory ? storesFor(terms, state) : {}
    const shown = mounts.filter(({ target }) => target !== granted)
    return toPlan(context, state, { readsOnly, standIns, shown, aliases, ...grant, ...stores })
  }
}

/** What is covered for want of a sight of the history; nothing, where repositories are only kept from changes. */
export const storesFor = (
  { showsHistory = false, keepsRepository = false }: Terms,
  state: TreeState,
): Pick<PlanTerms, 'stores'> => {
  if (!showsHistory) return { stores: findStores(state) }
  return keepsRepository ? { stores: [] } : {}
}

/** Where the repositories of the tree keep contents, under their real names. */
const findStores = ({ repositories }: Pick<TreeState, 'repositories'>): readonly string[] =>
  repositories.flatMap((path) =>
    ['objects', 'lost-found'].flatMap((name) => {
      const real = realOf(join(path, name))
      return real !== undefined && lstatSync(real).isDirectory() ? [real] : []
    }),
  )

type PlanNeeds = Omit<PlanTerms, 'host'>

/** Without waiting for anything: what the tree says is as old as the look at it. */
function toPlan({ facts, readOnly, host }: SandboxContext, state: TreeState, needs: PlanNeeds): Planned {
  const readsOnly = readOnly || needs.readsOnly
  const { mounts, watched } = planMounts(stillThere(facts), state, { ...needs, readsOnly, host })
  return { mounts, readsOnly, watched: new Map(watched.map((path) => [path, state.stampOf(path)])) }
}

/** What is gone since the start cannot be covered, and need not be. */
function stillThere(facts: Facts): Facts {
  const isThere = ({ path }: { readonly path: string }): boolean => existsSync(path)
  const { system, hidden, exposed } = facts
  return {
    ...facts,
    system: { ...system, masked: system.masked.filter(isThere) },
    hidden: hidden.filter(isThere),
    exposed: () => exposed().filter(isThere),
  }
}

/** What secret and governance names that are links lead to; only what lies inside, and never what holds the project. */
const findAliases = (root: string, { entries }: TreeState): readonly Alias[] =>
  entries.flatMap(({ path, kind }) => {
    if (kind !== 'link') return []
    const protection = protectionOfName(basename(path), basename(dirname(path)))
    const real = protection && realOf(path)
    if (real === undefined || real === root || !isInside(root, real)) return []
    const info = lstatSync(real, { throwIfNoEntry: false })
    if (!info?.isFile() && !info?.isDirectory()) return []
    return [{ path: real, kind: info.isFile() ? 'file' : 'folder', secret: protection === 'secret' } as const]
  })

/** A secret file is hidden under its real name, too, and looks to git as it did. */
function toHidden({ path, kind, secret }: Alias): readonly TreeEntry[] {
  const info =
    secret && kind === 'file' ? lstatSync(path, { bigint: true, throwIfNoEntry: false }) : undefined
  return info ? [{ path, kind: 'file', stamp: stampOf(info) }] : []
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
