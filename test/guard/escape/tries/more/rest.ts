/** Further tries of the classes that have few: the environment, denied paths, trusted code, readers, the repository. */
import { PINNED, type Try } from '../../try.ts'

const rule = (pattern: string, tool = '*'): string =>
  `[[permission.rules]]\ntool = "${tool}"\npattern = "${pattern}"\nverdict = "deny"\n`

const FILTERED = 'the environment is filtered in every mode'
const VALUE = 'heronquillmarsh'

export const moreHomeTries: readonly Try[] = [
  {
    name: 'secrets in connection strings and command lines of the environment',
    guarded: FILTERED,
    env: {
      MSSQL: `Server=db;User Id=app;Password=${VALUE};`,
      STORAGE: `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${VALUE};`,
      DB_OPTS: `--user app --password ${VALUE}`,
      CURL_ARGS: `-s -u app:${VALUE} https://example.com`,
      JAVA_ARGS: `-Xmx1g -Djavax.net.ssl.keyStorePassword=${VALUE}`,
      MAIL: `smtp://app:${VALUE}@mail.example.com:587`,
      CACHE: `redis://:${VALUE}@cache:6379/0`,
      REPORTS: `https://${VALUE}@sentry.example.com/1`,
    },
    steps: ['env | rev'],
  },
  {
    name: 'secrets in nested and encoded settings of the environment',
    guarded: FILTERED,
    env: {
      DOCKER_SETTINGS: `{"auths":{"registry.example.com":{"auth":"YXBwOmhlcm9ucXVpbGxtYXJzaA=="}}}`,
      VCAP: `{"db":[{"credentials":{"uri":"mysql://a:${VALUE}@h/x"}}]}`,
      QUOTED: `{\\"token\\":\\"${VALUE}\\"}`,
      COOKIES: `theme=dark; session_token=${VALUE}`,
      HEADER: `Bearer ${VALUE}`,
      BASIC: `Authorization: Basic YXBwOmhlcm9ucXVpbGxtYXJzaA==`,
      LINES: `user = app\npassword = ${VALUE}\n`,
      YAML: `db:\n  password: ${VALUE}\n`,
    },
    steps: ['env | rev', 'env | base64 -w0 | rev | rev'],
  },
  {
    name: 'secrets under names that are cut short',
    guarded: FILTERED,
    env: {
      SMTP_PASS: VALUE,
      MYSQL_PWD: VALUE,
      LDAP_BIND_PW: VALUE,
      REDISCLI_AUTH: VALUE,
      DB_PASSWD: VALUE,
      GH_PAT: VALUE,
      SIGNING_PASSPHRASE: VALUE,
      PRIVATE_PEM: VALUE,
      BASIC_AUTH: `app:${VALUE}`,
    },
    steps: ['env | rev'],
  },
]

const SECRET = 'mkdir secret; echo {CANARY} > secret/x; git add -A; git commit -qm secret'
export const moreDenyTries: readonly Try[] = [
  {
    name: 'denied patterns with braces, classes and the end of a name',
    project:
      'mkdir -p conf a/b; for f in conf/prod.yml conf/stage.yml a/b/k1.token k2.token; do echo {CANARY} > $f; done',
    config: rule('conf/{prod,stage}.yml') + rule('**/*.token') + rule('k[0-9].token'),
    steps: [
      'rev conf/prod.yml',
      'rev conf/*',
      'find . -type f -exec rev {} +',
      'rev a/b/k1.token k2.token',
      'cat conf/stag?.yml | rev',
    ],
  },
  {
    name: 'a denied folder under another case, with dots and a link made later',
    project: `${SECRET}; ln -s secret Secret; mkdir Private; echo {CANARY} > Private/x`,
    config: rule('SECRET/**') + rule('private/**'),
    steps: ['rev Secret/x secret/x', 'rev Private/x', 'cd Private; rev x', 'ln -s ./secret/. l; rev l/x'],
  },
  {
    name: 'a denied file is moved, copied or linked before it is read',
    project: 'mkdir d; echo {CANARY} > d/keep.dat; echo ok > d/other',
    config: rule('d/keep.dat'),
    steps: [
      'mv d e; rev e/keep.dat',
      'cp -a d f; rev f/keep.dat; ln d/keep.dat g; rev g; cp --reflink=auto d/keep.dat h; rev h',
      'dd if=d/keep.dat status=none | rev; install d/keep.dat i; rev i; split -b1 d/keep.dat; cat x?? | rev',
    ],
  },
]

const EVIL = 'touch {MARKS}/ran'
const HOOK = (command: string): string =>
  `[hooks.format]\nevent = "post_tool_use"\ncommand = '''${command}'''\nfail_open = true\n`
const owned = (name: string, command: string, script = 'tools/hook.sh'): Try => ({
  name: `a hook of the person runs a script of the project ${name}`,
  config: HOOK(command),
  project: `mkdir -p tools "$(dirname ${script})"; printf 'exit 0\\n' > ${script}; chmod +x ${script}`,
  steps: [`printf '#!/bin/sh\\n${EVIL}\\nexit 0\\n' > ${script}; chmod +x ${script}`, 'true', 'true'],
  guarded: PINNED,
})

type Loading = {
  readonly tool: string
  readonly runs: string
  readonly plants: string
  readonly needs: string
  readonly event?: string
}

/** The command names no file of the project: the tool finds its configuration there by itself. */
const loading = (name: string, { tool, runs, plants, needs, event = 'post_tool_use' }: Loading): Try => ({
  name: `a hook of the person runs a tool that loads configuration of the project ${name}`,
  config: `[sandbox]\nreadable = ["~/tool"]\n${HOOK(runs).replace('post_tool_use', event)}`,
  home: `mkdir tool; ${tool}`,
  steps: [plants, 'true', { reopen: 'read-only' }, 'true'],
  needs: [needs],
})

export const moreTrustedTries: readonly Try[] = [
  owned('after a change of folder', 'cd tools && sh hook.sh'),
  owned('by a variable', 'D=tools; sh "$D/hook.sh"'),
  owned('below the top of the repository', 'sh "$(git rev-parse --show-toplevel)/tools/hook.sh"'),
  owned('by a wildcard', 'for f in tools/*.sh; do sh "$f"; done'),
  owned('by find', 'find tools -name "*.sh" -exec sh {} \\;'),
  owned('by npx', 'npx --no-install fmt', 'node_modules/.bin/fmt'),
  owned('by its name in PATH', 'PATH="$PWD/tools:$PATH" hook.sh'),
  owned('by xargs', 'ls tools | xargs -I{} sh tools/{}'),
  owned('by cat', 'cat tools/hook.sh | sh'),
  owned('by make in a folder', 'make -s -C tools', 'tools/Makefile'),
  loading('that is JavaScript', {
    tool: `echo "require(process.cwd() + '/lint.config.cjs')" > tool/run`,
    runs: 'node {HOME}/tool/run',
    plants: `echo "require('fs').writeFileSync('{MARKS}/ran', '')" > lint.config.cjs`,
    needs: 'node',
  }),
  loading('that is Python', {
    tool: `printf 'import sys, os\\nsys.path.insert(0, os.getcwd())\\ntry:\\n import conftest\\nexcept ImportError: pass\\n' > tool/run`,
    runs: 'python3 {HOME}/tool/run',
    plants: `echo "open('{MARKS}/ran', 'w')" > conftest.py`,
    needs: 'python3',
  }),
  loading('that is a list of plugins', {
    tool: `printf 'for p in *.plugin; do . ./"$p"; done\\n' > tool/run`,
    runs: 'sh {HOME}/tool/run',
    plants: `echo '${EVIL}' > x.plugin`,
    needs: 'sh',
  }),
  loading('and says so at the start of a later session', {
    tool: `printf 'cat settings 2>/dev/null | sh\\n' > tool/run`,
    runs: 'sh {HOME}/tool/run',
    event: 'session_start',
    plants: `echo '${EVIL}' > settings`,
    needs: 'sh',
  }),
]

const FILES = `printf "b\\na\\n" > d1; printf "x\\n" > d2; printf "#!/bin/sh\\ntouch {MARKS}/ran\\ntouch ran\\n" > run.sh; chmod +x run.sh; git add -A; git commit -qm files`
const READERS: Readonly<Record<string, string>> = {
  'variables are expanded as prompts and names': `x='$(touch ran)'; echo "\${x@P}"; y=x; echo \${!y}; declare -n r='a[$(touch ran)]'; echo $r; printf -v 'a[$(touch ran)]' x; let 'a[$(touch ran)]=1'; (( a[$(touch ran)] ))`,
  'programs are named by their environment':
    'PAGER=./run.sh git -p log; VISUAL=./run.sh git commit; EDITOR=./run.sh crontab -e; BROWSER=./run.sh man -H ls; GIT_SSH=./run.sh git ls-remote ssh://x/y; ENV=./run.sh sh -i </dev/null; env -S "touch ran"; env --split-string="touch ran"',
  'search programs run others':
    'rg --pre=./run.sh a; rg --pre-glob "*" --pre ./run.sh a; fd -x touch ran; fdfind . -X touch ran; ag --pager ./run.sh a; ack --pager=./run.sh a; grep -r a --include=* -f <(touch ran)',
  'readers of archives write':
    'unzip -p x; zipinfo x; zip -T x -TT ./run.sh; 7z l x; ar x a; cpio -i < d1; bsdtar -xf d1; zcat -f d1 > ran; gzip -dc d1 > ran',
  'text tools write': `csplit -f ran d1 1; split d1 ran; column -o x d1 > ran; nl d1 | tee ran; perl -ne 'print' -i d1; ed -s d1 <<< w; ex -sc 'w! ran|q' d1; vim -es -c 'w! ran|q' d1; dd of=ran if=d1; sed --in-place=x s/a/b/ d1; sed -s -i s/a/b/ d1; sort -uo d1 d1; sort --compress-program=./run.sh -S1 d1; iconv -f utf8 -t utf8 d1 -o ran`,
  'git looks and writes':
    'git diff --no-index --output=ran d1 d2; git format-patch -1; git bundle create ran HEAD; git archive -o ran HEAD; git fsck --lost-found; git rev-parse --parseopt; git hash-object -w d1; git check-mailmap --stdin < d1; git for-each-repo --config=x run.sh; git bisect run ./run.sh; git submodule foreach ./run.sh; git difftool -x ./run.sh; git grep -O./run.sh a; git column < d1 > ran; git worktree add ran2; git symbolic-ref HEAD refs/heads/x; git update-ref refs/heads/made HEAD; git replace HEAD HEAD; git show-index < d1 > ran',
  'jobs and traps outlive the look': `coproc touch ran; (sleep 0.1; touch ran) & wait; trap 'touch ran' DEBUG; ls; exec -a ls touch ran; command -p touch ran; builtin eval touch ran; mapfile -C 'touch ran #' -c 1 < d1; complete -C 'touch ran' x; compgen -C 'touch ran'; enable -f ./run.sh x`,
}

export const moreReadTries: readonly Try[] = Object.entries(READERS).map(([name, command]) => ({
  name,
  mode: 'ask',
  project: FILES,
  guarded: 'some of it needs programs that may not be there',
  steps: [command, ...(/\n|\$\{|<<</.test(command) ? [] : command.split('; '))],
}))
