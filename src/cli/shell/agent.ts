/** `:agent TASK`: the flags of the shell, given on to `covey run`. */

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

export function agentArgv(options: Readonly<Record<string, unknown>>, task: string): readonly string[] {
  const values = Object.entries(VALUES).flatMap(([name, flag]) => {
    const value = options[name]
    return typeof value === 'string' ? [flag, value] : []
  })
  const switches = Object.entries(SWITCHES).flatMap(([name, flag]) => (options[name] === true ? [flag] : []))
  const probe = options['probe'] === false ? ['--no-probe'] : []
  return ['covey', 'run', ...values, ...switches, ...probe, '--', task]
}
