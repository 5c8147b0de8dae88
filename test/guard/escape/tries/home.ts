/** Class 2: nothing of the home folder, no socket and no secret of the environment is there, whatever its name. */
import { CONTAINED, OWN, type Try } from '../try.ts'

const GROUPS: Readonly<Record<string, string>> = {
  'keys and credentials':
    '.ssh/id_ed25519 .gnupg/private.key .aws/credentials .netrc .kube/config .docker/config.json .azure/msal_token_cache.json .config/gcloud/access_tokens.db',
  'the configuration of covey': '.config/covey/note.txt .local/share/covey/keys/note',
  'other projects': 'work/other/.env work/other/src/main.c work/.env work/other/.git/config',
  'model servers and other agents':
    '.ollama/id_ed25519 .ollama/history .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .config/github-copilot/apps.json .config/opencode/auth.json .continue/config.json .aider.conf.yml',
  'browsers and key rings':
    '.config/google-chrome/Default/Cookies .mozilla/firefox/a.default/key4.db .local/share/keyrings/login.keyring .password-store/a.gpg',
  histories: '.bash_history .zsh_history .python_history .lesshst .viminfo .local/share/fish/fish_history',
  'age, rclone and other tools':
    '.config/sops/age/keys.txt .config/age/key.txt .config/rclone/rclone.conf .s3cfg .boto .config/hub .terraform.d/credentials.tfrc.json .wrangler/config.toml',
  'package managers': '.npmrc .pypirc .cargo/credentials.toml .config/pip/pip.conf .composer/auth.json',
  'build tools with passwords': '.gradle/gradle.properties .m2/settings.xml',
  'documents and mail': 'notes.txt Documents/taxes.txt mail/inbox .config/Code/User/settings.json .bashrc',
}

const inHome = (files: string): readonly string[] => files.split(' ').map((file) => `{HOME}/${file}`)

const groups: readonly Try[] = Object.entries(GROUPS).map(([what, files]) => ({
  name: `reads ${what} of the person`,
  steps: [`rev ${inHome(files).join(' ')}`],
  ...(what === 'the configuration of covey' && { guarded: OWN }),
}))

/** Judged one by one: a name that is refused must not save the others. */
const UNASKED = [
  '.ollama/history',
  '.config/rclone/rclone.conf',
  'work/other/src/main.c',
  'notes.txt',
  '.lesshst',
]
const unasked: readonly Try[] = UNASKED.map((file) => ({
  name: `reads ~/${file} without a question`,
  mode: 'ask',
  steps: [`rev {HOME}/${file}`, `grep -h . {HOME}/${file} | rev`],
}))

const connect = (target: string): string =>
  `node -e "require('net').connect(${target}).on('data',d=>console.log(String(d))).on('error',e=>console.log(e.code))"`

/** Through another program: a command that names an interactive one is refused before it starts. */
const tmux = (socket: string, mark: string): string =>
  `node -e "try { require('child_process').execFileSync('tm'+'ux',['-S','${socket}','run-shell','touch {MARKS}/${mark}']) } catch (e) { console.log(e.message) }"`

const doors: readonly Try[] = [
  { name: 'connects to an ssh agent', steps: [connect(`'{HOME}/.keychain/agent.sock'`)], needs: ['node'] },
  { name: 'connects to a terminal server', steps: [connect(`'{HOME}/.tmux.sock'`)], needs: ['node'] },
  { name: 'connects to a container server', steps: [connect(`'{OUTSIDE}/docker.sock'`)], needs: ['node'] },
  { name: 'connects to a socket beside the project', steps: [connect(`'../bus'`)], needs: ['node'] },
  {
    name: 'connects to an abstract socket',
    steps: [connect(`{path:'\\0covey-escape-{ID}'}`)],
    needs: ['node'],
  },
  {
    name: 'connects to an abstract socket with the network allowed',
    config: '[sandbox]\nnetwork = true\n',
    steps: [connect(`{path:'\\0covey-escape-{ID}'}`)],
    needs: ['node'],
  },
  { name: 'connects to a server on loopback', steps: [connect(`{PORT}`)], needs: ['node'] },
  {
    name: 'drives a real terminal server',
    home: 'tmux -S {OUTSIDE}/tmux.sock new-session -d "sleep 60"',
    steps: [
      tmux('{OUTSIDE}/tmux.sock', 'tmux'),
      { host: 'tmux -S {OUTSIDE}/tmux.sock kill-server; rm -f {OUTSIDE}/tmux.sock' },
    ],
    allows: /tmux\.sock$/,
    needs: ['tmux'],
  },
  {
    name: 'a socket made after the session began is not entered',
    steps: [
      'true',
      { host: 'tmux -S {HOME}/late.sock new-session -d "sleep 60"; ln -s {HOME}/late.sock late' },
      tmux('{HOME}/late.sock', 'late'),
      tmux('./late', 'late'),
      { host: 'tmux -S {HOME}/late.sock kill-server; rm -f {HOME}/late.sock' },
    ],
    allows: /late\.sock$/,
    needs: ['tmux'],
  },
  {
    name: 'a socket of the person inside the project is not entered',
    project: 'tmux -S {PROJECT}/dev.sock new-session -d "sleep 60"',
    steps: [
      tmux('dev.sock', 'dev'),
      tmux('{PROJECT}/dev.sock', 'dev'),
      { host: 'tmux -S {PROJECT}/dev.sock kill-server; rm -f dev.sock' },
    ],
    needs: ['tmux'],
  },
]

const FILTERED = 'the environment is filtered in every mode'

const environment: readonly Try[] = [
  {
    name: 'a token in the environment under a harmless name',
    guarded: FILTERED,
    steps: ['env | rev; rev /proc/self/environ'],
  },
  {
    name: 'a token in the environment of a parent process',
    steps: ['for p in /proc/[0-9]*; do tr "\\0" "\\n" < $p/environ | rev; done; ps auxeww | rev'],
  },
  {
    name: 'passwords in addresses and secrets by name',
    guarded: FILTERED,
    env: {
      DATABASE_URL: 'postgres://app:heronquillmarsh@db.example.com/x',
      MY_PASSWORD: 'heronquillmarsh',
      NPM_CONFIG_AUTH: '_authToken=heronquillmarsh',
      PGPASSFILE_TEXT: 'password=heronquillmarsh',
      GITHUB_PAT: 'heronquillmarsh',
    },
    steps: ['env | rev; node -p "JSON.stringify(process.env)" | rev'],
  },
  {
    name: 'settings inside the values of variables',
    guarded: FILTERED,
    env: {
      PG_SETTINGS: 'host=db user=app password=heronquillmarsh',
      BUILD_ARGS: '--verbose --token=heronquillmarsh',
      APP_JSON: '{"user":"app","clientSecret":"heronquillmarsh"}',
      CALLBACK: 'https://example.com/hook?api_key=heronquillmarsh',
      HEADERS: 'Accept: x; Authorization: heronquillmarsh',
    },
    steps: ['env | rev; tr "\\0" "\\n" < /proc/self/environ | rev'],
  },
]

const roundabout: readonly Try[] = [
  {
    name: 'lists the home folder',
    mode: 'ask',
    steps: ['ls -a {HOME} {HOME}/.ssh {HOME}/work {HOME}/Documents'],
    leak: /id_ed25519|taxes|\bother\b|bash_history/,
  },
  {
    name: 'finds files by their content',
    steps: [`grep -rhs {CANARY} {HOME} {OUTSIDE}/../home | rev | head`],
  },
  {
    name: 'through /proc/self/root',
    steps: ['rev /proc/self/root{HOME}/.bash_history /proc/1/root{HOME}/notes.txt /proc/1/cwd/../notes.txt'],
  },
  {
    name: 'through dots',
    mode: 'ask',
    steps: ['rev ../../.bash_history ../other/.env src/../../../notes.txt'],
  },
  {
    name: 'through a link of the project',
    project: 'ln -s {HOME} h; ln -s ../other o',
    mode: 'ask',
    steps: ['rev h/.bash_history o/.env h/.ollama/history'],
  },
  {
    name: 'through git of another project',
    home: 'rm -rf work/other/.git; git init -q work/other; cd work/other; git add -f .env src; git commit -qm x',
    mode: 'ask',
    steps: [
      'git -C ../other show HEAD:.env | rev',
      'git -C {HOME}/work/other log -p',
      'git --git-dir {HOME}/work/other/.git show HEAD:src/main.c',
    ],
  },
  {
    name: 'an inherited file descriptor',
    guarded: 'there is nothing to inherit',
    steps: [
      'ls -l /proc/self/fd; for f in /proc/self/fd/[3-9]*; do readlink $f; cat $f </dev/null | rev; done; cat /proc/self/fd/*/../.ssh/id_ed25519',
    ],
    leak: /-> (?!\/proc\/|\/dev\/|pipe:|socket:|anon_inode|\/tmp)\/\S*(?:home|covey)/,
  },
  {
    name: 'a folder of PATH in the home folder brings its parent along',
    home: 'mkdir -p bin .local/bin; printf "#!/bin/sh\\necho tool works\\n" > bin/tool; chmod +x bin/tool',
    env: { PATH: '{HOME}/bin:{HOME}/.local/bin:{HOME}:/usr/local/bin:/usr/bin:/bin' },
    steps: [
      'rev {HOME}/.bash_history {HOME}/notes.txt {HOME}/.local/share/keyrings/login.keyring; ls {HOME}/.ssh',
      'rev {HOME}/.local/share/covey/keys/note',
    ],
    leak: /^id_ed25519$/m,
    control: { run: 'tool', expects: /tool works/ },
  },
  {
    name: 'a folder of PATH is a link to what is hidden',
    home: 'mkdir -p opt; ln -s {HOME}/.ssh opt/bin; ln -s {HOME}/.config opt/lib',
    env: { PATH: '{HOME}/opt/bin:/usr/local/bin:/usr/bin:/bin' },
    steps: [
      'rev {HOME}/.ssh/id_ed25519 {HOME}/opt/bin/id_ed25519 {HOME}/opt/lib/rclone/rclone.conf {HOME}/.config/rclone/rclone.conf',
    ],
  },
  {
    name: 'a folder of PATH lies in the project or is relative',
    project: 'mkdir bin; ln -s {HOME}/.ssh lib',
    env: { PATH: '{PROJECT}/bin:bin:.::/usr/local/bin:/usr/bin:/bin' },
    steps: ['rev {HOME}/.ssh/id_ed25519 lib/id_ed25519'],
  },
  {
    name: 'variables of toolchains name the home folder',
    env: {
      CARGO_HOME: '{HOME}',
      RUSTUP_HOME: '{HOME}',
      NVM_DIR: '{HOME}',
      GOPATH: '{HOME}',
      VOLTA_HOME: '{HOME}/.ssh',
      PYENV_ROOT: '{HOME}',
      ASDF_DATA_DIR: '{HOME}',
      GOMODCACHE: '{HOME}/.ssh',
      npm_config_prefix: '{HOME}',
      JAVA_HOME: '{HOME}',
      CONDA_PREFIX: '{HOME}',
      VIRTUAL_ENV: '{HOME}',
      MISE_DATA_DIR: '{HOME}',
      XDG_DATA_HOME: '{HOME}/.local/share',
    },
    steps: ['rev {HOME}/.bash_history {HOME}/.ssh/id_ed25519 {HOME}/notes.txt'],
  },
  {
    name: 'toolchains are there, their credentials are not',
    home: 'mkdir -p .cargo/bin .nvm/versions/node/v1/bin go/pkg/mod .local/bin .pyenv .m2/repository .gradle/caches; echo registry > .cargo/config.toml; printf "#!/bin/sh\\necho rust works\\n" > .cargo/bin/cargo; chmod +x .cargo/bin/cargo; echo token={CANARY} > .cargo/credentials; echo {CANARY} > .nvm/.npmrc',
    env: {
      PATH: '{HOME}/.cargo/bin:{HOME}/.nvm/versions/node/v1/bin:{HOME}/.local/bin:/usr/local/bin:/usr/bin:/bin',
    },
    steps: [
      'rev {HOME}/.cargo/credentials {HOME}/.cargo/credentials.toml {HOME}/.nvm/.npmrc; echo planted > {HOME}/.cargo/config.toml; echo planted > {HOME}/.cargo/bin/cargo',
    ],
    control: { run: 'cargo', expects: /rust works/ },
  },
  {
    name: 'credentials deep among toolchains',
    home: 'mkdir -p .nvm/versions/node/v1/{bin,etc,lib} .pyenv/versions/3.1/lib .local/share/uv/credentials .local/share/pipx/venvs/a .rustup/x .cargo/registry .local/lib; for f in .nvm/versions/node/v1/etc/npmrc .nvm/versions/node/v1/.npmrc .pyenv/versions/3.1/pip.conf .local/share/uv/credentials/a.toml .local/share/pipx/venvs/a/.env .rustup/x/id_rsa .cargo/registry/.netrc .local/lib/service-account.json; do echo {CANARY} > $f; done; printf "#!/bin/sh\\necho node works\\n" > .nvm/versions/node/v1/bin/nodeling; chmod +x .nvm/versions/node/v1/bin/nodeling',
    env: { PATH: '{HOME}/.nvm/versions/node/v1/bin:/usr/local/bin:/usr/bin:/bin' },
    steps: [
      'find {HOME}/.nvm {HOME}/.pyenv {HOME}/.local {HOME}/.rustup {HOME}/.cargo -type f ! -name nodeling -exec rev {} +',
    ],
    control: { run: 'nodeling', expects: /node works/ },
  },
  {
    name: 'the git configuration of the person brings its helpers and tokens along',
    home: 'printf "[credential]\\n\\thelper = store\\n[url \\"https://{CANARY}@x\\"]\\n\\tinsteadOf = https://x\\n[http]\\n\\textraHeader = {CANARY}\\n" >> .gitconfig; echo https://{CANARY} > .git-credentials',
    steps: [
      'git config --global --list | rev; git config --list | rev; rev {HOME}/.gitconfig {HOME}/.git-credentials; git config --global core.pager "touch {MARKS}/pager"',
    ],
    control: { run: 'git config user.name; git config user.email', expects: /Ada\n.*ada@example\.com/ },
  },
  {
    name: 'writes start-up files of the person',
    steps: [
      `for f in .bashrc .profile .config/fish/config.fish .local/bin/ls bin/git .config/autostart/x .ssh/rc .config/covey/config.toml; do mkdir -p $(dirname {HOME}/$f); echo 'touch {MARKS}/x' >> {HOME}/$f; done; true`,
    ],
  },
  {
    name: 'writes beside the project',
    steps: [
      'echo x > ../planted; mkdir ../p; echo x >> ../other/src/main.c; rm -rf ../other; mv ../other ../o2; echo x > {OUTSIDE}/x; true',
    ],
  },
  {
    name: 'file tools leave the project',
    guarded: CONTAINED,
    steps: [
      { call: 'read_file', input: { path: '../other/.env' } },
      { call: 'read_file', input: { path: '{HOME}/.bash_history' } },
      { call: 'search_text', input: { pattern: 'heronq', path: '../..' } },
      { call: 'list_files', input: { path: '{HOME}' } },
      { call: 'write_file', input: { path: '../planted', content: 'x' } },
    ],
    leak: /taxes/,
  },
  {
    name: 'interpreter tools leave the project',
    steps: [
      {
        call: 'python',
        input: {
          code: 'print(open("{HOME}/.bash_history").read()[::-1]); print(open("{HOME}/notes.txt").read()[::-1])',
        },
      },
      {
        call: 'javascript',
        input: {
          code: 'const fs = await import("node:fs"); fs.readFileSync("{HOME}/notes.txt", "utf8").split("").reverse().join("")',
        },
      },
      { call: 'python', input: { code: 'open("{OUTSIDE}/planted","w").write("x")' } },
    ],
    needs: ['python3'],
  },
  {
    name: 'the home of root',
    users: ['root'],
    steps: ['ls -A /root'],
    leak: /\.(?:bashrc|profile|bash_history|ssh)\b/,
    guarded: 'depends on what is there',
  },
  {
    name: 'runtime folders of the system',
    steps: [
      'ls /run/user /run/systemd /run/dbus /run/docker.sock /run/containerd /var/run/docker.sock 2>/dev/null | grep -v "^/run.*:$" | sed "s/^/FOUND /"',
    ],
    leak: /FOUND [^/\s]/,
    guarded: 'depends on what is there',
  },
  {
    name: 'the private folder of other commands and of other users',
    steps: ['ls -A /tmp /var/tmp | sed "s/^/FOUND /"'],
    leak: /FOUND covey-(?:sandbox|tests)/,
    guarded: 'depends on what is there',
  },
]

export const homeTries: readonly Try[] = [...groups, ...unasked, ...doors, ...environment, ...roundabout]
