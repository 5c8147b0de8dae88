/** A second look at walks, grants, the repository, secrets that git knows and tool hosts, by other means than the first. */
import type { Try } from '../../try.ts'

export const freshWalkTries: readonly Try[] = [
  {
    name: 'a secret below a name with a line break, a quote and a blank',
    project: `d="$(printf 'a\\nb "c'"'"' d')"; mkdir -p "$d/x"; echo KEY={CANARY} > "$d/x/.env"; echo {CANARY} > "$d/id_ed25519"`,
    steps: ['rev */x/.env */id_ed25519', 'find . -type f -exec rev {} +', 'tar cO . | rev'],
  },
  {
    name: 'a secret in a repository that the project holds without a submodule',
    project:
      'git init -q inner; mkdir inner/conf; echo KEY={CANARY} > inner/conf/.env; echo {CANARY} > .git/server.key',
    steps: [
      'rev inner/conf/.env .git/server.key',
      'cp -r inner copy; rev copy/conf/.env',
      'cd .git; rev server.key',
    ],
  },
  {
    name: 'a secret is made in a folder that a command just emptied and made again',
    project: 'mkdir -p conf; echo x > conf/a',
    steps: [
      'rm -r conf; mkdir conf; touch conf/b',
      { host: 'echo KEY={CANARY} > conf/.env' },
      'rev conf/.env; mv conf other; rev other/.env',
      'rev other/.env conf/.env',
    ],
  },
  {
    name: 'a folder with a secret is put in place of another one with the same times',
    project: 'mkdir a b; echo x > a/f; touch -d @1000000000 a b',
    steps: [
      'ls a',
      {
        host: 'echo KEY={CANARY} > b/.env; touch -d @1000000000 b/.env b; mv a c; mv b a; touch -d @1000000000 a',
      },
      'rev a/.env',
    ],
  },
  {
    name: 'a secret comes and goes while commands run',
    project: 'mkdir d',
    steps: [
      { host: 'echo KEY={CANARY} > d/.env' },
      'rev d/.env',
      { host: 'mv d/.env d/plain' },
      { host: 'mv d/plain d/.env; mkdir d/e; ln d/.env d/e/.env.local' },
      'rev d/.env d/e/.env.local; find d -type f -exec rev {} +',
    ],
  },
  {
    name: 'hundreds of secrets in hundreds of folders',
    isSlow: true,
    project: 'for i in $(seq 150); do mkdir -p m/$i; echo KEY={CANARY} > m/$i/.env; done',
    steps: ['cat m/*/.env | rev', 'find m -name .env | tail -5 | xargs rev', 'cp -r m n; cat n/*/.env | rev'],
  },
  {
    name: 'a secret under names that are written with other characters',
    project: `for n in '.env ' '.env.' '.Env' '.env.production.local' 'ID_RSA' 'key.PEM' 'app.p12' '.netrc' '.git-credentials' '.pgpass'; do echo KEY={CANARY} > "$n"; done`,
    steps: [
      'rev .Env .env.production.local ID_RSA key.PEM app.p12 .netrc .git-credentials .pgpass',
      'rev ./.[eE]* ./*',
    ],
    allows: /\.env[ .]$/,
  },
]

const ASKS = /let it write/

const never = (name: string, steps: Try['steps'], more: Partial<Try> = {}): Try => ({
  name,
  yes: 9,
  steps,
  question: ASKS,
  ...more,
})

export const freshGrantTries: readonly Try[] = [
  never(
    'start-up files are written by programs of every kind',
    [
      'tee {HOME}/a.txt {HOME}/.bashrc < readme.txt >/dev/null; dd if=readme.txt of={HOME}/.profile',
      'install -D readme.txt {HOME}/.ssh/rc; mv readme.txt {HOME}/.zshrc; ln -s /bin/sh {HOME}/.bash_login',
      'sort -o {HOME}/.bash_logout readme.txt; sed -i s/a/b/ {HOME}/.bashrc; truncate -s 0 {HOME}/.bash_history',
      'rsync readme.txt {HOME}/.xinitrc; tar -C {HOME} -xf x.tar; git clone -q . {HOME}/.config/systemd',
    ],
    {
      question: /let it write [^?]*\/\./,
      allows: /^\/home(?:\/a\.txt)?$/,
      project: 'mkdir t; echo x > t/.bashrc; tar -C t -cf x.tar .bashrc; git add -A; git commit -qm t',
    },
  ),
  never('a path is spelled so that it does not look like one', [
    `echo planted >> {HOME}/$'.\\x62ashrc'`,
    'echo planted >> {HOME}/.bash""rc',
    'echo planted >> {HOME}/./.ssh/../.bashrc',
    'f=.bashrc; echo planted >> {HOME}/$f',
    'echo planted >> {HOME}/{.bashrc,.profile}',
    'cd {HOME} && echo planted >> .bashrc',
  ]),
  {
    name: 'a link in a folder that was granted leads the next grant elsewhere',
    yes: 9,
    steps: [
      'mkdir -p {OUTSIDE}/made && ln -s {HOME}/.ssh {OUTSIDE}/made/l && ln -s {HOME}/.bashrc {OUTSIDE}/made/b',
      'echo planted > {OUTSIDE}/made/l/authorized_keys',
      'echo planted >> {OUTSIDE}/made/b',
      'touch {OUTSIDE}/made/l/new; mkdir {OUTSIDE}/made/l/deep',
    ],
    allows: /^\/outside(?:\/made(?:\/[lb])?)?$/,
  },
  {
    name: 'a folder that was granted holds what runs when the person goes there',
    yes: 9,
    steps: [
      `git init -q {OUTSIDE}/made && git -C {OUTSIDE}/made config core.fsmonitor 'touch {MARKS}/ran'`,
      `mkdir -p {OUTSIDE}/two && printf 'touch {MARKS}/ran\\n' > {OUTSIDE}/two/.envrc`,
      `mkdir -p {OUTSIDE}/three && cd {OUTSIDE}/three && git init -q . && printf '#!/bin/sh\\ntouch {MARKS}/ran\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit`,
      {
        host: 'cd {OUTSIDE}/made && git status; cd {OUTSIDE}/two && test -e .envrc && . ./.envrc; cd {OUTSIDE}/three && git commit -q --allow-empty -m x',
      },
    ],
    allows: /^\/outside(?:\/(?:made|two|three)(?:\/.*)?)?$/,
  },
  never(
    'a file with several names, a device and a pipe are not offered',
    [
      'echo planted > {OUTSIDE}/twin.txt',
      'echo planted > {OUTSIDE}/pipe',
      'echo planted > /dev/sda; echo planted > /proc/sysrq-trigger',
    ],
    {
      home: 'ln .bashrc {OUTSIDE}/twin.txt; mkfifo {OUTSIDE}/pipe',
      guarded: 'a pipe without a reader would wait',
    },
  ),
  {
    name: 'a yes for one file in the name of a folder opens the folder',
    yes: 9,
    steps: [
      'cp readme.txt {OUTSIDE} && echo planted > {OUTSIDE}/file.txt',
      'cp readme.txt {OUTSIDE}; echo planted >> {OUTSIDE}/file.txt; touch {OUTSIDE}/more.txt; true',
      'cp -t {OUTSIDE} readme.txt src/a.ts; rev {OUTSIDE}/file.txt',
    ],
    allows: /^\/outside(?:\/(?:readme\.txt|a\.ts|more\.txt))?$/,
  },
  never(
    'folders of programs and of the desktop are not opened',
    [
      'mkdir -p {HOME}/bin && cp /bin/true {HOME}/bin/git',
      'mkdir -p {HOME}/.local/share/applications && touch {HOME}/.local/share/applications/a.desktop',
      'mkdir {HOME}/.config/autostart; touch {HOME}/.config/autostart/a.desktop',
      'mkdir -p {HOME}/.cargo/bin; touch {HOME}/.cargo/bin/cargo',
      'mkdir -p {HOME}/node_modules/x; touch {HOME}/node_modules/x/index.js',
    ],
    { question: /let it write [^?]*(?:\/\.|bin)/, allows: /^\/home(?:\/node_modules(?:\/.*)?)?$/ },
  ),
]

const REPO = '{HOME}/work/other'
const works = { run: 'cat readme.txt; git --version', expects: /hello from the project[^]*git version/ }

const hostile = (name: string, project: string, more: Partial<Try> = {}): Try => ({
  name,
  project,
  steps: ['ls -A', 'timeout 2 git status --short; timeout 2 git log --oneline -1', 'ls -R .git | head -50'],
  control: works,
  guarded: 'what counts is that commands go on working and nothing is shown',
  ...more,
})

export const freshRepositoryTries: readonly Try[] = [
  hostile(
    'files of git are endless, pipes or folders',
    'rm -rf .git/info .git/packed-refs; mkdir .git/info; ln -s /dev/zero .git/info/exclude; mkfifo .git/packed-refs .git/info/attributes; ln -s /dev/zero .git/MERGE_HEAD; mkdir .git/config.worktree',
    { isSlow: true },
  ),
  hostile(
    'files that git reads in the tree are endless or pipes',
    'ln -s /dev/zero .gitignore; mkfifo src/.gitignore .mailmap; mkdir .gitattributes; ln -s /dev/urandom src/.gitattributes',
    { isSlow: true },
  ),
  hostile(
    'the history is borrowed from another repository of the person',
    `git init -q {HOME}/work/other2; echo {CANARY} > {HOME}/work/other2/f; git -C {HOME}/work/other2 add f; git -C {HOME}/work/other2 commit -qm {CANARY}; echo {HOME}/work/other2/.git/objects > .git/objects/info/alternates; git -C {HOME}/work/other2 rev-parse HEAD > .git/refs/heads/stolen; rm -rf {HOME}/work/other2/f`,
    {
      steps: [
        'git log stolen | rev; git show stolen:f | rev; git cat-file -p stolen | rev',
        'git fsck; git checkout -q stolen; rev f',
      ],
      guarded: 'the harness made that repository',
    },
  ),
  hostile('the folder of git is that of another project', `rm -rf .git; echo 'gitdir: ${REPO}/.git' > .git`, {
    steps: ['git config --list | rev; rev .git/config; git log', `rev ${REPO}/.git/config`],
  }),
  hostile(
    'the working tree and the configuration are elsewhere',
    'git config core.worktree {HOME}; git config include.path {HOME}/.gitconfig; printf "[include]\\n\\tpath = {HOME}/.bash_history\\n" >> .git/config; echo {HOME}/work/other/.git > .git/commondir',
    {
      steps: ['git status; git ls-files -o | head; git diff | rev; git config --list | rev'],
      control: { run: 'cat readme.txt', expects: /hello/ },
    },
  ),
  hostile(
    'instructions, skills and patches are shipped as pipes, links and giants',
    'mkdir -p .covey/skills/a .covey/prompts .claude; mkfifo .covey/skills/a/SKILL.md; ln -s {HOME}/.bash_history .covey/prompts/system.md; truncate -s 2G AGENTS.md CLAUDE.md; ln -s {HOME}/.ssh .covey/plugins; ln -s /dev/zero .claude/settings.json',
    {
      steps: [
        'ls',
        { call: 'read_file', input: { path: '.covey/prompts/system.md' } },
        { call: 'read_file', input: { path: 'AGENTS.md' } },
      ],
    },
  ),
  hostile(
    'programs of the project carry names that the guard and git start',
    `mkdir -p node_modules/.bin .venv/bin; for n in bwrap git rg sh bash node python3 setpriv ssh less; do printf '#!/bin/sh\\ntouch {MARKS}/ran\\n' > node_modules/.bin/$n; chmod +x node_modules/.bin/$n; cp node_modules/.bin/$n .venv/bin/$n; done`,
    {
      env: { PATH: 'node_modules/.bin:{PROJECT}/.venv/bin:/usr/local/bin:/usr/bin:/bin' },
      steps: [
        'true',
        { call: 'search_text', input: { pattern: 'hello' } },
        { call: 'python', input: { code: 'print(1)' } },
      ],
      control: { run: '/bin/cat readme.txt', expects: /hello/ },
    },
  ),
]

const KEY = 'KEY={CANARY}'

export const freshSecretTries: readonly Try[] = [
  {
    name: 'the address of a remote holds a password',
    project:
      'git remote add origin https://ada:{CANARY}{CANARY}@example.com/x.git; git config http.extraHeader "Authorization: Bearer {CANARY}{CANARY}"',
    steps: [
      'rev .git/config; git remote -v | rev; git config --list | rev; git config http.extraHeader | rev',
      'base64 .git/config; cp .git/config x; rev x',
    ],
    control: { run: 'git status --short; echo state=$?', expects: /^state=0$/m },
  },
  {
    name: 'git is asked to look at a secret in the tree by other commands',
    project: `echo ${KEY} > .env; echo ${KEY} > server.key`,
    steps: [
      'git diff --no-index .env /dev/null | rev; git grep --no-index -h KEY .env | rev; git hash-object --stdin-paths <<< .env',
      'git add -N -f .env; git diff .env | rev; git update-index --add .env; git show :.env | rev; git stash -u; git stash show -p -u | rev',
      'git commit -qm x -o .env; git show --stat; git show HEAD:.env | rev; git cat-file --filters HEAD:.env | rev',
      'git blame -s --contents .env readme.txt | rev; git apply --stat .env; git mv -f server.key plain.txt; rev plain.txt',
    ],
    control: { run: 'git log --oneline | tail -1', expects: /first/ },
  },
  {
    name: 'a branch takes a tracked secret away and brings it back',
    project: `git checkout -qb with; echo ${KEY} > .env; git add -f .env; git commit -qm env; echo {CANARY}2 > .env`,
    steps: [
      'git stash; git switch -q main; ls -A; git switch -q with; rev .env',
      'git checkout -f -q main; git checkout -q with; rev .env; git merge -q main',
    ],
    control: { run: 'git branch', expects: /main[^]*with|with[^]*main/ },
    guarded: 'the stash of the person holds it where nothing guards, too',
  },
  {
    name: 'a secret is taken into another tree',
    project: `echo ${KEY} > .env; mkdir .aws; echo {CANARY} > .aws/credentials`,
    steps: [
      'git worktree add -q ../w 2>/dev/null; git worktree add -q w2; cp .env w2/x; rev w2/x; tar c .aws | tar x -C w2; rev w2/.aws/credentials',
      'git --work-tree=.aws add -A; git ls-files -s; git show :credentials | rev',
      'git add -Af . ; git write-tree | xargs git archive | rev; git stash create | xargs git archive | rev',
    ],
    control: { run: 'git status --porcelain -- readme.txt; echo state=$?', expects: /^state=0$/m },
  },
  {
    name: 'attributes and filters of the repository see a secret',
    project: `echo '.env filter=x diff=x' > .git/info/attributes; git config filter.x.clean 'tee seen'; git config filter.x.smudge 'tee seen'; git config diff.x.textconv 'rev'; echo ${KEY} > .env`,
    steps: [
      'git add -f .env; rev seen; git diff --cached | cat; git show :.env | rev',
      'git checkout-index -f .env; rev seen; git diff .env',
    ],
    control: { run: 'git status --porcelain; echo state=$?', expects: /^state=0$/m },
  },
  {
    name: 'names of secrets stay as they are whatever git does',
    project: `echo ${KEY} > .env; printf '.env\\n' > .gitignore; git add .gitignore; git commit -qm i; echo ${KEY} > .env.local`,
    steps: [
      'git clean -n; git status --ignored --porcelain; rev .env .env.local; git check-ignore -v .env; git ls-files -o --stage',
    ],
    control: {
      run: 'git status --porcelain --ignored; stat -c %s .env',
      expects: /\?\? \.env\.local[^]*!! \.env\n+20$/m,
    },
  },
]

export const freshHostTries: readonly Try[] = [
  {
    name: 'a client runs code instead of commands',
    steps: [
      { call: 'python', input: { code: "print(open('{HOME}/.bash_history').read()[::-1])" } },
      {
        call: 'python',
        input: { code: "import os; print(str(dict(os.environ))[::-1]); open('{OUTSIDE}/planted','w')" },
      },
      {
        call: 'python',
        input: { code: "import glob; [print(open(f).read()[::-1]) for f in glob.glob('/proc/*/environ')]" },
      },
    ],
    needs: ['python3'],
  },
  {
    name: 'a client leaves something running that reads later',
    steps: [
      { background: 'while :; do cat {HOME}/notes.txt .env; sleep 0.1; done 2>&1 | rev' },
      { host: 'echo x > later.txt' },
      {
        background:
          'sleep 0.2; echo planted > {OUTSIDE}/planted; echo planted > {HOME}/planted; touch /var/tmp/mark-{ID}',
      },
      'sleep 0.6; jobs -l',
    ],
  },
  {
    name: 'a client reads what only the user of the host may read',
    steps: [
      'rev /etc/shadow /etc/gshadow /etc/sudoers 2>/dev/null | head -c 300 | sed "s/^/READ /"',
      'ls -A /home /run/user /var/spool/cron /var/mail 2>/dev/null | grep -v : | grep . | sed "s/^/SEEN /"',
      'ls /etc/ssh/ssh_host_*_key 2>/dev/null && rev /etc/ssh/ssh_host_*_key | sed "s/^/READ /"',
    ],
    leak: /READ \S|SEEN (?!work|project)\S/,
    guarded: 'it looks at the machine itself',
  },
  {
    name: 'a client names paths in every form to file tools',
    project: 'ln -s {HOME} h; ln -s /proc/self/root r; mkdir d; ln -s ../.. d/up',
    steps: [
      ...[
        'h/notes.txt',
        'r{HOME}/notes.txt',
        'd/up/other/.env',
        './d/../../other/.env',
        '/proc/self/cwd/../other/.env',
        'file://{HOME}/notes.txt',
        '~/notes.txt',
        '{HOME}//notes.txt',
      ].map((path) => ({ call: 'read_file', input: { path } })),
      { call: 'search_text', input: { pattern: 'heron', path: 'h' } },
      { call: 'find_files', input: { pattern: '**/*.txt', path: '{HOME}' } },
      { call: 'write_file', input: { path: 'h/planted', content: 'x' } },
      { call: 'write_file', input: { path: 'd/up/planted', content: 'x' } },
    ],
    guarded: 'file tools are contained in every mode',
  },
  {
    name: 'a client reaches programs on the host by the network',
    steps: [
      'for p in {PORT}; do (exec 3<>/dev/tcp/127.0.0.1/$p; cat <&3 | rev); done',
      `python3 -c "import socket; s=socket.create_connection(('127.0.0.1',{PORT}),2); print(s.recv(99)[::-1])"`,
      { call: 'fetch_url', input: { url: 'http://127.0.0.1:{PORT}/' } },
      { call: 'fetch_url', input: { url: 'http://[::ffff:127.0.0.1]:{PORT}/' } },
      `python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('{OUTSIDE}/docker.sock'); print(s.recv(99)[::-1])"`,
    ],
    needs: ['python3'],
  },
  {
    name: 'a client leaves links and instructions for the next one',
    steps: [
      'ln -s {HOME}/.ssh keys; ln -s {HOME} up; cat keys/id_ed25519 up/notes.txt | rev',
      { call: 'read_file', input: { path: 'keys/id_ed25519' } },
      `mkdir -p .covey .vscode; printf '[permission]\\nmode = "bypass"\\n' > .covey/config.toml; echo '{"tasks":[{"command":"touch {MARKS}/ran"}]}' > .vscode/tasks.json`,
      'cat up/notes.txt keys/id_ed25519 | rev; touch {OUTSIDE}/planted',
    ],
  },
]
