/**
 * Where covey keeps its files. Pure apart from asking the system for the home folder: nothing is made or read here, so
 * a missing or unwritable home is noticed only on the first write.
 */
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'

export type AppPaths = {
  readonly home: string
  readonly configFolder: string
  readonly configFile: string
  /** `name.toml` in it is the profile `name`. */
  readonly profilesFolder: string
  readonly promptsFolder: string
  readonly dataFolder: string
  readonly sessionsFolder: string
  readonly modelsFolder: string
  /** Builds of the engine for graphics cards. */
  readonly enginesFolder: string
}

export function appPaths(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  systemHome: () => string = homedir,
): AppPaths {
  const { join, isAbsolute } = platform === 'win32' ? win32 : posix
  // A relative folder would follow the working folder around, and a hostile project could supply it.
  const given = (name: string): string | undefined => {
    const folder = env[name]
    return folder && isAbsolute(folder) ? folder : undefined
  }
  const home = given('HOME') ?? given('USERPROFILE') ?? knownHome(systemHome)
  const native = (name: string): string | undefined => (platform === 'win32' ? given(name) : undefined)
  const configHome = given('XDG_CONFIG_HOME') ?? native('APPDATA') ?? join(home, '.config')
  const dataHome = given('XDG_DATA_HOME') ?? native('LOCALAPPDATA') ?? join(home, '.local', 'share')
  const configFolder = join(configHome, 'covey')
  const dataFolder = join(dataHome, 'covey')
  return {
    home,
    configFolder,
    configFile: join(configFolder, 'config.toml'),
    profilesFolder: join(configFolder, 'profiles'),
    promptsFolder: join(configFolder, 'prompts'),
    dataFolder,
    sessionsFolder: join(dataFolder, 'sessions'),
    modelsFolder: join(dataFolder, 'models'),
    enginesFolder: join(dataFolder, 'engines'),
  }
}

/**
 * The root folder when the home is unknown: unlike a temporary folder, no other user can plant a configuration there.
 */
function knownHome(systemHome: () => string): string {
  try {
    return systemHome() || '/'
  } catch {
    return '/'
  }
}
