/** Everything skills bring to a program that starts: what is found where, as plain values for the composition. */
import { join } from 'node:path'
import type { Trust } from '../protocol/guard.ts'
import type { HookSpec } from '../protocol/hooks.ts'
import { cleanControl } from '../lib/clean.ts'
import { packageFile } from '../lib/package-files.ts'
import { loadSkills } from './load.ts'
import { loadPlugins, type Plugin } from './plugins.ts'
import { openPromotedStore, type Promoted, type PromotedStore } from './promoted-store.ts'
import type { Skill } from './skill.ts'

export type SkillFolders = {
  readonly bundled: string
  readonly user: string
  readonly project: string
  readonly plugins: string
  /** Promoted functions. */
  readonly functions: string
  /** What a person agreed to: skills of projects, plugins, promoted functions, each by the hash of its files. */
  readonly pins: string
}

export const skillFolders = (
  { configFolder, dataFolder }: { readonly configFolder: string; readonly dataFolder: string },
  projectFolder: string,
): SkillFolders => ({
  bundled: packageFile('skills'),
  user: join(configFolder, 'skills'),
  project: join(projectFolder, '.covey', 'skills'),
  plugins: join(dataFolder, 'plugins'),
  functions: join(dataFolder, 'skills', 'tools'),
  pins: join(dataFolder, 'skills', 'pins.json'),
})

export type OpenedSkills = {
  readonly skills: readonly Skill[]
  /** Of the project, not agreed to. */
  readonly untrusted: readonly Skill[]
  readonly plugins: readonly Plugin[]
  readonly changedPlugins: readonly Plugin[]
  readonly hooks: readonly HookSpec[]
  /** By name, as they would stand under `[mcp.servers]`. */
  readonly mcpServers: Readonly<Record<string, unknown>>
  readonly functions: {
    readonly store: PromotedStore
    readonly trust: Trust
    readonly known: readonly Promoted[]
  }
  readonly warnings: readonly string[]
}

/** `trust` is kept in `folders.pins`. */
export async function openSkills(folders: SkillFolders, trust: Trust): Promise<OpenedSkills> {
  const { plugins, changed, warnings } = await loadPlugins(folders.plugins, trust)
  const store = openPromotedStore(folders.functions)
  const [found, promoted] = await Promise.all([
    loadSkills(
      [
        { place: 'bundled', folder: folders.bundled },
        { place: 'user', folder: folders.user },
        ...plugins.map(({ skillsFolder }) => ({ place: 'plugin' as const, folder: skillsFolder })),
        { place: 'project', folder: folders.project },
      ],
      trust,
    ),
    store.load(),
  ])
  return {
    skills: found.skills,
    untrusted: found.untrusted,
    plugins,
    changedPlugins: changed,
    hooks: plugins.flatMap(({ hooks }) => hooks),
    mcpServers: Object.assign({}, ...plugins.map(({ mcpServers }) => mcpServers)) as Record<string, unknown>,
    functions: { store, trust, known: promoted.functions },
    // They quote names and lines of untrusted files, and are printed.
    warnings: [...warnings, ...found.warnings, ...promoted.warnings].map(cleanControl),
  }
}
