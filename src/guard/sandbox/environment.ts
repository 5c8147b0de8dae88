/**
 * The environment of child processes: nothing that looks like a secret by its name or its value, and nothing that waits
 * for a person. In the sandbox also nothing that names a place or a door that is not there.
 */
import { join } from 'node:path'
import { judgeName } from '../secrets/name.ts'
import { scanSecrets } from '../secrets/scan.ts'
import type { Facts } from './facts.ts'

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL/i
/** Short for the same; a path names a file, not its content. */
const SHORT_NAME = /(?:^|_)(?:AUTH|PASS|PW|PWD|PIN|PEM|PAT|CREDS?|COOKIES?)$/i

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
  ((judgeName(name) !== undefined || SHORT_NAME.test(name)) && !/^[./~]/.test(value)) ||
  scanSecrets(`${name}=${value}`).length > 0 ||
  scanSecrets(value).length > 0 ||
  holdsAssignment(value) ||
  HOLDS_LOGIN.test(value)

/** `https://token@host`, `Bearer …`, `-u user:password`, `--password …`. */
const HOLDS_LOGIN =
  /\bhttps?:\/\/[^\s/@]+@|^\s*(?:bearer|basic|token)\s+\S{8,}\s*$|(?:^|\s)(?:-u|--user)[ =]?[\w.@-]+:(?!\d+(?:\s|$)|root\b)\S+|(?:^|\s)--?[\w-]*(?:pass(?:word|wd|phrase)?|token|secret|api-?key)[ =](?![./~$-])\S+/i

/** `_authToken=...`, `user=app password=...`, `{"password":"..."}`: a setting inside a value, whatever it is set to. */
const holdsAssignment = (value: string): boolean =>
  Array.from(
    value.matchAll(/([\w.-]+)[\\"']*\s*(?:=|:(?!\/\/))(?=[ \t\\"']*\S)[ \t\\"']*([^\s"',;&\\]+)/g),
  ).some(
    ([, name = '', set = '']) => judgeName(name.replace(/^[-_.]+/, '')) !== undefined && !/^[./~$]/.test(set),
  )

/** What stands over the usual environment, and which names of that one are kept. */
export type SandboxEnvironment = {
  readonly env: Environment
  readonly keeps?: (name: string) => boolean
}

type Uses = {
  readonly readsOnly: boolean
  readonly host: boolean
  readonly git: Environment
  /** The private folder for temporary files, as commands name it. */
  readonly tmp: string
}

export function sandboxEnvironment(
  { home, path, readable }: Facts,
  { readsOnly, host, git, tmp }: Uses,
): SandboxEnvironment {
  const env = {
    ...inside(tmp),
    ...Object.fromEntries(GONE.map((name) => [name, undefined])),
    HOME: home,
    PATH: path,
    ...(readable.some(({ target }) => target === browsers(home)) && {
      PLAYWRIGHT_BROWSERS_PATH: browsers(home),
    }),
    ...git,
    // Refreshing the index is a write.
    ...(readsOnly && { GIT_OPTIONAL_LOCKS: '0' }),
  }
  return { env, ...(host && { keeps: (name: string) => HOST_NAMES.test(name) }) }
}

/** Playwright looks for them where caches lie. */
const browsers = (home: string): string => join(home, '.cache/ms-playwright')

/** The home folder cannot be written, so caches lie in /tmp; without a network trying again only makes everyone wait. */
const inside = (tmp: string): Environment => ({
  TMPDIR: tmp,
  XDG_CACHE_HOME: `${tmp}/cache`,
  XDG_STATE_HOME: `${tmp}/state`,
  GOCACHE: `${tmp}/go-build`,
  npm_config_cache: `${tmp}/npm`,
  YARN_CACHE_FOLDER: `${tmp}/yarn`,
  BUN_INSTALL_CACHE_DIR: `${tmp}/bun`,
  DENO_DIR: `${tmp}/deno`,
  DOTNET_CLI_HOME: `${tmp}/dotnet`,
  COMPOSER_HOME: `${tmp}/composer`,
  PYTHON_HISTORY: '/dev/null',
  npm_config_fetch_retries: '0',
  PIP_RETRIES: '0',
})

/** Doors to programs outside, and folders beside the home folder. */
const GONE =
  `SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR XDG_CONFIG_HOME
  XDG_DATA_HOME PIP_CACHE_DIR DISPLAY WAYLAND_DISPLAY XAUTHORITY TMUX TMUX_PANE STY DOCKER_HOST
  CONTAINER_HOST KUBECONFIG GIT_DIR GIT_WORK_TREE GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_PARAMETERS
  GIT_ASKPASS SSH_ASKPASS GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF VSCODE_IPC_HOOK_CLI VSCODE_GIT_IPC_HANDLE`.split(
    /\s+/,
  )

const HOST_NAMES = /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|USER|LOGNAME|SHELL|TERM)$/
