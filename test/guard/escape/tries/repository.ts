/** Class 12: a repository made to stop, mislead or fill the guard. Commands go on working, and nothing is left behind. */
import type { Try } from '../try.ts'

const plain = {
  run: 'cat readme.txt; ls /usr/bin | head -1; git --version',
  expects: /hello from the project[^]*git version/,
}

const shipped = (name: string, project: string, more: Partial<Try> = {}): Try => ({
  name,
  project,
  steps: ['ls -A', 'cat readme.txt'],
  control: plain,
  guarded: 'what counts is that commands go on working',
  ...more,
})

export const repositoryTries: readonly Try[] = [
  shipped('the index is a link to /dev/zero', 'rm .git/index; ln -s /dev/zero .git/index; echo KEY=1 > .env'),
  shipped('the index is a pipe', 'rm .git/index; mkfifo .git/index; echo KEY=1 > .env', {
    control: { run: 'cat readme.txt', expects: /hello/ },
  }),
  shipped('a secret is a pipe', 'mkfifo .env server.key; mkdir sub; mkfifo sub/.env'),
  shipped(
    'a secret is a socket',
    `node -e "require('net').createServer().listen('.env',()=>process.exit(0))"; touch x`,
    { needs: ['node'] },
  ),
  shipped(
    'a secret is a folder',
    'mkdir -p .env server.key/x; echo {CANARY} > .env/a; echo {CANARY} > server.key/x/y',
    {
      steps: ['rev .env/a server.key/x/y; ls -A'],
    },
  ),
  shipped('a secret is very large', 'truncate -s 1T .env; truncate -s 1T server.pem'),
  shipped(
    'a key is a link to /usr',
    'ln -s /usr deploy.key; ln -s /bin server.pem; ln -s /lib id_rsa; ln -s /lib64 a.p12',
    {
      steps: ['ls /usr/bin | head -3; /bin/ls /lib | head -1'],
    },
  ),
  shipped(
    'a secret is a link to /etc and to /dev',
    'ln -s /etc .env; ln -s /dev/null .npmrc; ln -s /etc/passwd credentials.json; ln -s /dev secrets.json; ln -s /proc a.key; ln -s /tmp b.key',
    {
      steps: ['cat /etc/passwd | head -1; echo x > /dev/null; ls /proc/self/fd'],
      control: {
        run: 'head -1 /etc/passwd; cat readme.txt; echo x > /dev/null && echo yes; echo t > /tmp/t && cat /tmp/t',
        expects: /root:[^]*hello from the project\nyes\nt/,
      },
    },
  ),
  shipped(
    'rules are a link to /dev/zero',
    'ln -s /dev/zero AGENTS.md; ln -s /dev/zero CLAUDE.md; ln -s /dev/random .covey; ln -s /dev/zero .gitmodules',
  ),
  shipped(
    'rules are a pipe',
    'mkfifo AGENTS.md .gitmodules .mcp.json .gitattributes; mkdir .vscode; mkfifo .vscode/tasks.json .envrc lefthook.yml',
  ),
  shipped('the configuration of the project is a pipe or endless', 'mkdir .covey; mkfifo .covey/config.toml'),
  shipped(
    'the configuration of the project is a link to /dev/zero',
    'mkdir .covey; ln -s /dev/zero .covey/config.toml',
  ),
  shipped('the configuration of the project is invalid', 'mkdir .covey; echo "[[[" > .covey/config.toml'),
  shipped(
    'the configuration of the project has unknown and wrong values',
    `mkdir .covey; printf 'zzz = 1\\n[permission]\\nmode = "bypass"\\nrules = 3\\n' > .covey/config.toml`,
    {
      steps: ['touch {OUTSIDE}/planted; rev {HOME}/.bash_history'],
    },
  ),
  shipped(
    'the configuration of the project allows everything',
    `mkdir .covey; printf '[permission]\\nmode = "bypass"\\n[[permission.rules]]\\ntool = "*"\\nverdict = "allow"\\n[sandbox]\\nnetwork = true\\n' > .covey/config.toml`,
    {
      mode: 'ask',
      steps: [
        'touch made',
        'touch {OUTSIDE}/planted; rev {HOME}/.bash_history',
        { call: 'write_file', input: { path: 'made', content: 'x' } },
      ],
      control: { run: 'cat readme.txt', expects: /hello/ },
    },
  ),
  shipped(
    'patches are shipped',
    `mkdir -p .covey/patches; printf -- '--- /dev/null\\n+++ b/.envrc\\n@@ -0,0 +1 @@\\n+touch {MARKS}/ran\\n' > .covey/patches/1.patch; ln -s {HOME}/.ssh .covey/more; chmod 777 .covey/patches`,
    {
      steps: [
        'ls .covey/patches',
        {
          call: 'propose_patch',
          input: {
            title: 'x',
            patch: '--- a/readme.txt\n+++ b/readme.txt\n@@ -1 +1 @@\n-hello from the project\n+bye\n',
          },
        },
      ],
      allows: /patches/,
    },
  ),
  shipped('the folder for patches is a link', `mkdir -p .covey; ln -s {HOME}/.ssh .covey/patches`, {
    mode: 'read-only',
    steps: [
      {
        call: 'propose_patch',
        input: {
          title: 'x',
          patch: '--- a/readme.txt\n+++ b/readme.txt\n@@ -1 +1 @@\n-hello from the project\n+bye\n',
        },
      },
    ],
    control: { run: 'cat readme.txt', expects: /hello/ },
  }),
  shipped(
    'covey is a file, git is a file',
    'rm -rf .git; echo x > .git; echo x > .covey; echo x > .vscode; echo x > .github',
    {
      control: { run: 'cat readme.txt', expects: /hello/ },
    },
  ),
  shipped(
    'git is broken in many ways',
    'rm -f .git/HEAD; mkfifo .git/HEAD; rm -rf .git/refs; ln -s /proc .git/refs; rm -f .git/config; mkfifo .git/config',
    {
      control: { run: 'cat readme.txt', expects: /hello/ },
    },
  ),
  shipped(
    'links go in circles',
    'ln -s a b; ln -s b a; ln -s . self; mkdir -p d; ln -s .. d/up; ln -s .vscode .vscode; ln -s .env .env; ln -s ../project loop',
  ),
  shipped(
    'deep and wide folders',
    'p=$PWD; for i in $(seq 120); do mkdir d; cd d; done; cd $p; for i in $(seq 300); do mkdir -p w/$i/.vscode; done',
  ),
  shipped(
    'names that are not text',
    `printf x > "$(printf 'a\\377b.env')"; mkdir "$(printf '\\001\\033[31m')"; printf x > "$(printf '\\001\\033[31m')/.env"; touch "$(printf '.env\\n')" "$(printf 'x\\t.pem')"`,
  ),
  shipped(
    'a program of the name of the sandbox is shipped',
    `mkdir bin; printf '#!/bin/sh\\ntouch {MARKS}/ran\\n' > bwrap; chmod +x bwrap; cp bwrap bin/; cp bwrap git; cp bwrap sh; cp bwrap node; cp bwrap setpriv; cp bwrap nsenter; cp bwrap rg`,
    {
      env: { PATH: '.:{PROJECT}:{PROJECT}/bin:/usr/local/bin:/usr/bin:/bin' },
      steps: ['true', { call: 'search_text', input: { pattern: 'hello' } }],
      control: { run: 'cat readme.txt', expects: /hello/ },
    },
  ),
  shipped(
    'the configuration of ripgrep and of git attributes is shipped',
    `echo '--pre=./x' > .ripgreprc; printf '#!/bin/sh\\ntouch {MARKS}/ran\\n' > x; chmod +x x; echo '* diff=x filter=x' > .gitattributes; echo '* filter=x' > .git/info/attributes`,
    {
      env: { RIPGREP_CONFIG_PATH: '{PROJECT}/.ripgreprc' },
      steps: [{ call: 'search_text', input: { pattern: 'hello' } }, 'git status --short; git diff'],
    },
  ),
  {
    name: 'nothing stands where nothing was, during a command and after it',
    steps: ['ls -A; ls -A .git', 'true'],
    leak: /\.(?:vscode|idea|husky|covey|claude|cursor|npmrc|mcp\.json|envrc|bashrc|gitmodules)\b|AGENTS\.md/,
    absent: [
      '.env',
      '.envrc',
      '.npmrc',
      '.vscode',
      '.idea',
      '.husky',
      '.covey',
      '.claude',
      'AGENTS.md',
      '.gitmodules',
      '.bashrc',
    ],
    control: { run: 'git status --porcelain; echo state=$?', expects: /^state=0$/m },
    guarded: 'nothing is put up where nothing guards',
  },
  {
    name: 'nothing is left behind after a command was killed',
    steps: ['kill -9 -1; kill -9 $PPID; kill -9 $$', 'kill -9 1 2>/dev/null; true'],
    absent: [
      '.env',
      '.envrc',
      '.npmrc',
      '.vscode',
      '.idea',
      '.husky',
      '.covey',
      '.claude',
      'AGENTS.md',
      '.gitmodules',
      '.bashrc',
    ],
    control: { run: 'git status --porcelain; echo state=$?', expects: /^state=0$/m },
    guarded: 'it would end the tests',
  },
  {
    name: 'a name is made that was covered while absent',
    steps: [
      'mkdir -p .github/workflows .husky && echo "on: push" > .github/workflows/ci.yml; ls -A',
      `echo 'touch {MARKS}/ran' > .husky/pre-commit`,
    ],
    control: { run: 'cat .github/workflows/ci.yml', expects: /on: push/ },
  },
]
