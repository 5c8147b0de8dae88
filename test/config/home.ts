/** A home folder and a project on disk, as the loader finds them. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

type Files = {
  readonly user?: string
  readonly project?: string
  /** By name, each a file of its own. */
  readonly profiles?: Readonly<Record<string, string>>
}

export type Home = {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly userFile: string
  readonly projectFile: string
  readonly profileFile: (name: string) => string
}

export function tempHome(files: Files = {}, env: NodeJS.ProcessEnv = {}): Home {
  const root = mkdtempSync(join(tmpdir(), 'covey-config-'))
  const folder = join(root, '.config', 'covey')
  const home: Home = {
    env: { HOME: root, ...env },
    cwd: join(root, 'project'),
    userFile: join(folder, 'config.toml'),
    projectFile: join(root, 'project', '.covey', 'config.toml'),
    profileFile: (name) => join(folder, 'profiles', `${name}.toml`),
  }
  mkdirSync(home.cwd)
  if (files.user !== undefined) write(home.userFile, files.user)
  if (files.project !== undefined) write(home.projectFile, files.project)
  for (const [name, text] of Object.entries(files.profiles ?? {})) write(home.profileFile(name), text)
  return home
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
