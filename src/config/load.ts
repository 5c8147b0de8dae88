/**
 * Reads the configuration: defaults < user < profile < project < environment < flags. All mistakes of all layers are
 * collected before anything is refused, so that a person fixes them in one go.
 */
import { access } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError } from '../protocol/error.ts'
import { readEnvironment, readFlags } from './environment.ts'
import { readConfigFile } from './file.ts'
import {
  anchorPaths,
  checkLayer,
  fileLayer,
  formatOrigin,
  mergeLayers,
  type Layer,
  type Merged,
} from './layer.ts'
import { appPaths, type AppPaths } from './paths.ts'
import { checkProfiles, profileNames, readProfile } from './profile.ts'
import { readProject, type IsTrusted, type ProjectReading, type Untrusted } from './project.ts'
import { formatKey, mergeTables, type Table } from './tree.ts'

export type LoadOptions = {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly profile?: string
  /** By dotted key, such as `'engine.max_turns'`. Texts are read as in the environment; `undefined` is not given. */
  readonly flags?: Readonly<Record<string, unknown>>
  /** Nothing is trusted unless this says so. */
  readonly isTrusted?: IsTrusted
}

export type LoadedConfig = Merged & {
  /** What a person should know although it stops nothing. */
  readonly warnings: readonly string[]
  readonly untrusted?: Untrusted
  /** The names of the user's profiles. */
  readonly profiles: readonly string[]
}

type ConfigReading =
  | { readonly ok: true; readonly loaded: LoadedConfig }
  | { readonly ok: false; readonly problems: readonly string[] }

/** The configuration, or `config-invalid` with one line per mistake. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const reading = await readConfig(options)
  if (!reading.ok) throw new AppError('config-invalid', reading.problems.join('\n'))
  return reading.loaded
}

/** As `loadConfig`, but mistakes are a value. */
export async function readConfig(options: LoadOptions): Promise<ConfigReading> {
  const paths = appPaths(options.env, process.platform)
  const files = await readFiles(options, paths)
  const environment = readEnvironment(options.env, tablesOf(files.layers))
  const flags = readFlags(options.flags ?? {})
  const texts = [...environment.layers, ...flags.layers].map((layer) => ({
    ...layer,
    values: anchorPaths(layer.values, options.cwd, paths.home),
  }))
  const problems = [files, environment, flags].flatMap((reading) => reading.problems)
  if (problems.length > 0) return { ok: false, problems }

  const merged = mergeLayers([...files.layers, ...texts])
  const incomplete = await incompleteArms(merged, paths)
  if (incomplete.length > 0) return { ok: false, problems: incomplete }
  const { untrusted, profiles } = files
  const warnings = [...files.warnings, ...(untrusted ? [untrustedWarning(untrusted)] : [])]
  return { ok: true, loaded: { ...merged, warnings, profiles, ...(untrusted && { untrusted }) } }
}

type FilesReading = ProjectReading & Pick<LoadedConfig, 'profiles'>

async function readFiles(options: LoadOptions, paths: AppPaths): Promise<FilesReading> {
  const { file, problems: unreadable } = await readConfigFile(paths.configFile)
  const user = file ? [withoutProfiles(fileLayer('user', file, paths.home))] : []
  const profile =
    options.profile && unreadable.length === 0
      ? await readProfile(options.profile, file, paths)
      : { layers: [], problems: [] }
  const project = await readProject(options.cwd, paths.home, options.isTrusted ?? (() => false))
  return {
    ...project,
    profiles: await profileNames(file, paths),
    layers: [...user, ...profile.layers, ...project.layers],
    problems: [
      ...unreadable,
      ...user.flatMap(checkLayer),
      ...(file ? checkProfiles(file, paths.home) : []),
      ...profile.problems,
      ...project.problems,
    ],
  }
}

function withoutProfiles(layer: Layer): Layer {
  const { profiles: _, ...values } = layer.values
  return { ...layer, values }
}

const tablesOf = (layers: readonly Layer[]): Table =>
  layers.map(({ values }) => values).reduce(mergeTables, {})

/** What no layer can be blamed for alone: an arm may be put together from several. */
function incompleteArms({ config, origins }: Merged, paths: AppPaths): Promise<string[]> {
  const incomplete = Object.entries(config.arms).filter(
    ([, arm]) => arm.kind === 'openai-compatible' && arm.base_url === undefined,
  )
  return Promise.all(
    incomplete.map(async ([id, { model = id }]) => {
      const key = formatKey(['arms', id])
      const origin = [...origins].find(
        ([path, { layer }]) => path.startsWith(`${key}.`) && layer !== 'default',
      )
      const place = origin ? `${formatOrigin(origin[1])}: ` : ''
      const advice = (await isModelHere(model, paths)) ? ` ${needsNoArm(model)}` : ''
      return `${place}${key} needs base_url, the address of its server.${advice}`
    }),
  )
}

/** By the name of its file; that is what `covey models import` makes of a model. */
const isModelHere = (model: string, { modelsFolder }: AppPaths): Promise<boolean> =>
  access(join(modelsFolder, model.endsWith('.gguf') ? basename(model) : `${basename(model)}.gguf`)).then(
    () => true,
    () => false,
  )

const needsNoArm = (model: string): string =>
  `The model ${model} is on this machine and needs no arm: remove the table and write \`model = ${JSON.stringify(model)}\` in front of all tables.`

const untrustedWarning = ({ file, keys, problems = [] }: Untrusted): string =>
  problems.length > 0 ? mistakenWarning(file, problems) : leftOutWarning(file, keys)

const mistakenWarning = (file: string, [first = '', ...others]: readonly string[]): string => {
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  return `${file} is not trusted and has mistakes, so nothing of it counts: ${first}${more} \`covey trust\` shows them all.`
}

const leftOutWarning = (file: string, keys: readonly string[]): string =>
  `${file} is not trusted, so these keys of it are left out: ${keys.join(', ')}. \`covey trust add\` makes them count.`
