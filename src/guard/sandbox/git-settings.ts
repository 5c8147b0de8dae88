/**
 * The person's settings of git as far as they run nothing: name and mail for commits, and what they ignore everywhere.
 */
import { execFile } from 'node:child_process'
import { copyFile, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'

const KEPT =
  /^(?:user\.(?:name|email)|init\.defaultbranch|core\.(?:autocrlf|eol|quotepath|filemode|symlinks)|pull\.(?:rebase|ff)|push\.default|merge\.conflictstyle|diff\.(?:algorithm|renames)|rebase\.autosquash|safe\.directory|color\.ui)$/

type Place = { readonly home: string; readonly git: string | undefined }

/** Writes `gitconfig` and `gitignore` into the folder. */
export async function writeGitSettings(folder: string, { home, git }: Place): Promise<void> {
  const settings = git === undefined ? [] : await readSettings(git, home)
  const lines = settings.filter(([key]) => KEPT.test(key)).map(([key, value]) => toLines(key, value))
  await writeFile(join(folder, 'gitconfig'), lines.join(''))
  const named = settings.find(([key]) => key === 'core.excludesfile')?.[1].replace(/^~(?=\/)/, home)
  const ignored = named !== undefined && isAbsolute(named) ? named : join(home, '.config', 'git', 'ignore')
  await copyFile(ignored, join(folder, 'gitignore')).catch(() => writeFile(join(folder, 'gitignore'), ''))
}

/** Read outside any repository, so that none adds to it. */
const readSettings = (git: string, home: string): Promise<readonly (readonly [string, string])[]> =>
  new Promise((resolve) => {
    const env = { HOME: home, PATH: '/usr/bin:/bin', GIT_CONFIG_NOSYSTEM: '1' }
    const options = { cwd: '/', env, timeout: 5_000, encoding: 'utf8' } as const
    execFile(git, ['config', '--global', '--includes', '-z', '--list'], options, (_, stdout) =>
      resolve(
        stdout.split('\0').flatMap((entry) => {
          const [, key, value] = /^([^\n]+)\n([^]*)$/.exec(entry) ?? []
          return key === undefined || value === undefined ? [] : [[key, value] as const]
        }),
      ),
    )
  })

function toLines(key: string, value: string): string {
  const dot = key.indexOf('.')
  const text = value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')
  return `[${key.slice(0, dot)}]\n\t${key.slice(dot + 1)} = "${text}"\n`
}
