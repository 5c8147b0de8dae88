/**
 * A home full of things that a command has no business with, and the doors to programs outside: each try has its own,
 * so that nothing one of them does helps another.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'

/** A plain word: no scanner takes it for a secret, so that only what hides files keeps it from being seen. */
export const CANARY = 'heronquillmarsh'
/** In the environment under a harmless name: only its shape says what it is. */
export const TOKEN = `ghp_${'16C7e42F292c6912E7710c838347Ae178B4a'}`

export type Place = {
  readonly id: string
  readonly base: string
  readonly home: string
  readonly project: string
  readonly outside: string
  readonly marks: string
}

export const placeAt = (base: string, id: string): Place => ({
  id,
  base,
  home: join(base, 'home'),
  project: join(base, 'home', 'work', 'project'),
  outside: join(base, 'outside'),
  marks: join(base, 'marks'),
})

const FILES =
  `.ssh/id_ed25519 .ssh/config .gnupg/private.key .aws/credentials .netrc .bash_history .zsh_history .bashrc
  .config/covey/note.txt .local/share/covey/keys/note .ollama/id_ed25519 .ollama/history .config/rclone/rclone.conf
  .config/sops/age/keys.txt .config/google-chrome/Default/Cookies .mozilla/firefox/a.default/key4.db
  .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .config/github-copilot/apps.json
  .config/opencode/auth.json .config/gh/hosts.yml .config/Code/User/settings.json .kube/config .docker/config.json
  .npmrc .pypirc .cargo/credentials.toml .gradle/gradle.properties .m2/settings.xml .config/pip/pip.conf
  .local/share/fish/fish_history .python_history .lesshst .viminfo .config/nvim/init.lua notes.txt Documents/taxes.txt
  work/other/.env work/other/src/main.c work/.env work/other/.git/config mail/inbox .password-store/a.gpg
  .terraform.d/credentials.tfrc.json .azure/msal_token_cache.json .config/gcloud/access_tokens.db .wrangler/config.toml
  .local/share/keyrings/login.keyring .config/age/key.txt .vscode-server/data/token .jupyter/nbsignatures.db
  .composer/auth.json .s3cfg .boto .config/hub .continue/config.json .aider.conf.yml`.split(/\s+/)

/** What the home of every try is copied from; `git` knows its owner. */
export async function makeTemplate(base: string): Promise<string> {
  const template = join(base, 'template')
  const { home, project, outside, marks } = placeAt(template, '')
  await Promise.all(
    [outside, marks, project, join(home, '.keychain')].map((folder) => mkdir(folder, { recursive: true })),
  )
  for (const name of FILES) {
    await mkdir(dirname(join(home, name)), { recursive: true })
    await writeFile(join(home, name), `secret ${CANARY} of ${name}\n`)
  }
  await writeFile(join(home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.com\n')
  await writeFile(join(outside, 'file.txt'), `secret ${CANARY} outside\n`)
  const files = { 'readme.txt': 'hello from the project\n', 'src/a.ts': 'export const a = 1\n' }
  await mkdir(join(project, 'src'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text)
  const env = { PATH: process.env['PATH'], HOME: home }
  const script = 'git init -q -b main . && git add -A && git commit -qm first'
  execFileSync('sh', ['-c', script], { cwd: project, env, stdio: 'ignore' })
  return template
}

export const copyTemplate = (template: string, base: string): void =>
  void execFileSync('cp', ['-a', template, base])

export type Doors = {
  readonly port: number
  /** Names of those that were entered. */
  readonly entered: readonly string[]
  close(): Promise<void>
}

/** Programs of the user that take orders from any client. */
export async function openDoors({ id, home, project, outside }: Place): Promise<Doors> {
  const entered: string[] = []
  const paths = [
    join(home, '.keychain', 'agent.sock'),
    join(home, '.tmux.sock'),
    join(outside, 'docker.sock'),
    join(project, '..', 'bus'),
    `\0covey-escape-${id}`,
  ]
  const servers: Server[] = []
  const open = (name: string, where: { path: string } | { port: number; host: string }): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer((socket) => {
        entered.push(name)
        socket.on('error', () => {})
        socket.end(`secret ${CANARY} of ${name}\n`)
      })
      servers.push(server)
      server.once('error', reject).listen(where, () => resolve(server))
    })
  for (const path of paths) await open(path.replace('\0', '@'), { path })
  const address = (await open('loopback', { port: 0, host: '127.0.0.1' })).address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    entered,
    close: async () => void (await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))),
  }
}

export type Victim = { readonly pid: number; isAlive(): boolean; stop(): void }

/** A process of the same user, outside; it knows the canary. */
export function startVictim(): Victim {
  const env = { PATH: process.env['PATH'], SECRET: CANARY }
  const child = spawn('sleep', ['3600'], { env, stdio: 'ignore' })
  return {
    pid: child.pid ?? 0,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stop: () => void child.kill('SIGKILL'),
  }
}
