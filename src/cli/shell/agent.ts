/**
 * The flags of one command, given on to another: `:agent TASK` starts `covey run`, `/shell` starts `covey shell`, `/plan run`
 * starts `covey plan run`.
 */

/** Flags with a value, by the name commander gives them. */
const VALUES: Readonly<Record<string, string>> = {
  model: '--model',
  baseUrl: '--base-url',
  apiKeyEnv: '--api-key-env',
  provider: '--provider',
  window: '--window',
  permission: '--permission',
  swarm: '--swarm',
  toolHost: '--tool-host',
  profile: '--profile',
}

const SWITCHES: Readonly<Record<string, string>> = {
  auto: '--auto',
  offline: '--offline',
  incognito: '--incognito',
}

type Options = Readonly<Record<string, unknown>>

export const agentArgv = (options: Options, task: string): readonly string[] => [
  'covey',
  'run',
  ...passedFlags(options),
  '--',
  task,
]

/** This very program once more. */
export const ownArgv = (options: Options, words: readonly string[]): readonly string[] => [
  process.execPath,
  ...process.execArgv,
  process.argv[1] ?? '',
  ...words,
  ...passedFlags(options),
]

function passedFlags(options: Options): readonly string[] {
  const values = Object.entries(VALUES).flatMap(([name, flag]) => {
    const value = options[name]
    return typeof value === 'string' ? [flag, value] : []
  })
  const switches = Object.entries(SWITCHES).flatMap(([name, flag]) => (options[name] === true ? [flag] : []))
  const probe = options['probe'] === false ? ['--no-probe'] : []
  return [...values, ...switches, ...probe]
}
