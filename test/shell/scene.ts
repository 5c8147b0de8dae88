/** `covey shell` on a real pty with a screen model: the person's own shell, a scripted model, keys in and a screen out. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openTerminal, type OpenOptions, type Reply } from '../tui/terminal.ts'

export type ShellName = 'bash' | 'zsh' | 'fish'

export const shells: readonly ShellName[] = ['bash', 'zsh', 'fish']
const pathOf = (name: string): string | undefined =>
  ['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
    .map((folder) => join(folder, name))
    .find(existsSync)

/** For the name of a skipped test. */
export const missing = (name: string): boolean => pathOf(name) === undefined

/** What each shell reads at its start: a prompt that is easy to find, an alias and a function. */
const files: Readonly<Record<ShellName, Readonly<Record<string, string>>>> = {
  bash: { '.bash_profile': "PS1='ready> '\nalias hi='echo aliased'\nfn() { echo \"function $1\"; }\n" },
  zsh: { '.zshrc': "PS1='ready> '\nalias hi='echo aliased'\nfn() { echo \"function $1\"; }\n" },
  fish: {
    '.config/fish/config.fish':
      "set -g fish_greeting\nfunction fish_prompt; echo -n 'ready> '; end\nalias hi='echo aliased'\nfunction fn; echo \"function $argv[1]\"; end\n",
  },
}

export type SceneOptions = Pick<OpenOptions, 'files' | 'size' | 'env' | 'argv'> & {
  readonly replies?: readonly Reply[]
  readonly flags?: readonly string[]
  readonly homeFiles?: Readonly<Record<string, string>>
}

export async function openShell(shell: ShellName, options: SceneOptions = {}) {
  // Removed with the run: a shell that was hung up still writes its history.
  const folder = await mkdtemp(join(tmpdir(), 'covey-shell-home-'))
  const home = { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: join(folder, 'data') }
  for (const [path, text] of Object.entries({ ...files[shell], ...options.homeFiles })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const { homeFiles: _, flags = [], env = {}, argv = (words) => words, ...rest } = options
  const screen = await openTerminal({
    ...rest,
    home,
    env: { SHELL: pathOf(shell) ?? shell, LANG: 'C.UTF-8', XDG_CONFIG_HOME: join(folder, '.config'), ...env },
    argv: (words) => {
      const at = words.indexOf('--model')
      return argv([...words.slice(0, at), 'shell', ...flags, ...words.slice(at)])
    },
  })
  return {
    ...screen,
    home: folder,
    /** An empty prompt with the cursor behind it. */
    async prompt(): Promise<string> {
      await screen.until('prompt', () => /(?:^|\n)ready>$/.test(screen.shown()))
      return screen.shown()
    },
    enter: (line: string): void => screen.type(`${line}\r`),
    /** A key, again and again until it has worked: a program may not be reading yet, or an Enter may come too soon. */
    async presses(keys: string, done: RegExp): Promise<string> {
      let pressed = 0
      await screen.until(String(done), () => {
        if (done.test(screen.shown())) return true
        if (performance.now() - pressed > 1000) {
          pressed = performance.now()
          screen.type(keys)
        }
        return false
      })
      return screen.shown()
    },
    /** What the model was sent as the words of the person, newest last. */
    asked: () => userMessages(folder),
  }
}

export async function ready(shell: ShellName, options: SceneOptions = {}) {
  const screen = await openShell(shell, options)
  await screen.prompt()
  return screen
}

async function userMessages(home: string): Promise<readonly string[]> {
  const all = await readdir(home, { recursive: true })
  const logs = all.filter((path) => /sessions\/.*\.jsonl$/.test(path)).toSorted()
  const texts = await Promise.all(logs.map((path) => readFile(join(home, path), 'utf8')))
  return texts
    .flatMap((text) => text.split('\n'))
    .flatMap((line) => [...line.matchAll(/"role":"user","text":("(?:[^"\\]|\\.)*")/g)])
    .map((match) => JSON.parse(match[1] ?? '""') as string)
}
