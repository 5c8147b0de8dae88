/**
 * The environment of child processes: nothing that looks like a secret by its name or its value, and nothing that waits
 * for a person. In the sandbox also nothing that names a place or a door that is not there.
 */
import { judgeName } from '../secret-name.ts'
import { scanSecrets } from '../secret-scan.ts'
import type { Facts } from './facts.ts'

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL/i

/** Plain, unpaged output, and programs that fail instead of asking. */
const SETTINGS: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  CI: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
  PYTHONUNBUFFERED: '1',
}

type Environment = Readonly<Record<string, string | undefined>>

export function toChildEnvironment(
  environment: Environment,
  { env = {}, keeps = () => true }: Partial<SandboxEnvironment> = {},
): Record<string, string> {
  const kept = Object.entries(environment).filter(
    ([name, value]) => keeps(name) && !(name in env) && value !== undefined && !isSecret(name, value),
  )
  const all = Object.entries({ ...Object.fromEntries(kept), ...SETTINGS, ...env })
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** `PWD` is a name for a secret as well, but its value is a path. */
const isSecret = (name: string, value: string): boolean =>
  SECRET_NAME.test(name) ||
  (judgeName(name) !== undefined && !/^[./~]/.test(value)) ||
  scanSecrets(`${name}=${value}`).length > 0

/** What stands over the usual environment, and which names of that one are kept. */
export type SandboxEnvironment = {
  readonly env: Environment
  readonly keeps?: (name: string) => boolean
}

type Uses = { readonly readsOnly: boolean; readonly host: boolean; readonly git: Environment }

export function sandboxEnvironment(
  { home, path }: Facts,
  { readsOnly, host, git }: Uses,
): SandboxEnvironment {
  const env = {
    ...INSIDE,
    ...Object.fromEntries(GONE.map((name) => [name, undefined])),
    HOME: home,
    PATH: path,
    ...git,
    // Refreshing the index is a write.
    ...(readsOnly && { GIT_OPTIONAL_LOCKS: '0' }),
  }
  return { env, ...(host && { keeps: (name: string) => HOST_NAMES.test(name) }) }
}

/** Programs that keep caches elsewhere; without a network trying again only makes everyone wait. */
const INSIDE = {
  TMPDIR: '/tmp',
  GOCACHE: '/tmp/go-build',
  npm_config_cache: '/tmp/npm',
  npm_config_fetch_retries: '0',
  PIP_RETRIES: '0',
}

/** Doors to programs outside, and folders beside the home folder. */
const GONE =
  `SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR XDG_CONFIG_HOME
  XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME DISPLAY WAYLAND_DISPLAY XAUTHORITY TMUX TMUX_PANE STY DOCKER_HOST
  CONTAINER_HOST KUBECONFIG GIT_DIR GIT_WORK_TREE GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_PARAMETERS
  GIT_ASKPASS SSH_ASKPASS GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF VSCODE_IPC_HOOK_CLI VSCODE_GIT_IPC_HANDLE`.split(
    /\s+/,
  )

const HOST_NAMES = /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|USER|LOGNAME|SHELL|TERM)$/
