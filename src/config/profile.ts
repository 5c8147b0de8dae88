/**
 * A profile is a named set of values laid over the user's own: `[profiles.name]` in the user's file, `profiles/name.toml`
 * beside it, or both, the second winning.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../lib/json.ts'
import { nearest } from '../lib/nearest.ts'
import { readConfigFile, type ConfigFile } from './file.ts'
import { checkLayer, fileLayer, type LayerReading } from './layer.ts'
import type { AppPaths } from './paths.ts'
import { formatKey } from './tree.ts'

export async function readProfile(
  name: string,
  user: ConfigFile | undefined,
  paths: AppPaths,
): Promise<LayerReading> {
  const names = await profileNames(user, paths)
  if (!names.includes(name)) return { layers: [], problems: [unknownProfile(name, names)] }
  const table =
    user && isObject(tablesOf(user)[name]) ? [fileLayer('profile', user, paths.home, ['profiles', name])] : []
  const { file, problems } = await readConfigFile(join(paths.profilesFolder, `${name}.toml`))
  const own = file ? [fileLayer('profile', file, paths.home)] : []
  return { layers: [...table, ...own], problems: [...problems, ...own.flatMap(checkLayer)] }
}

/** Mistakes in the profiles of the user's file, chosen or not: a slip should be found before it is needed. */
export function checkProfiles(user: ConfigFile, home: string): string[] {
  const { profiles } = user.values
  if (profiles !== undefined && !isObject(profiles))
    return [`${user.path}: profiles must be a table of tables.`]
  return Object.entries(tablesOf(user)).flatMap(([name, table]) =>
    isObject(table)
      ? checkLayer(fileLayer('profile', user, home, ['profiles', name]))
      : [
          `${user.path}: ${formatKey(['profiles', name])} must be a table; write it as [${formatKey(['profiles', name])}].`,
        ],
  )
}

/** Only names that are found in a listing are ever opened: a name such as `../x` leads nowhere. */
export async function profileNames(user: ConfigFile | undefined, paths: AppPaths): Promise<string[]> {
  const files = await readdir(paths.profilesFolder).catch(() => [])
  const own = files.filter((file) => file.endsWith('.toml')).map((file) => file.slice(0, -'.toml'.length))
  return [...new Set([...(user ? Object.keys(tablesOf(user)) : []), ...own])].toSorted()
}

const tablesOf = (user: ConfigFile): Record<string, unknown> =>
  isObject(user.values['profiles']) ? user.values['profiles'] : {}

function unknownProfile(name: string, names: readonly string[]): string {
  const guess = nearest(name, names)
  if (guess) return `No profile is called "${name}"; did you mean "${guess}"?`
  if (names.length > 0) return `No profile is called "${name}"; there are ${names.join(', ')}.`
  return `No profile is called "${name}"; add [${formatKey(['profiles', name])}] to config.toml.`
}
