/** Class 4: what a command leaves behind does not run outside when the person goes on working, and does not lie in wait. */
import type { Try } from '../try.ts'

const RUN = `'touch {MARKS}/ran'`
const SCRIPT = `printf '#!/bin/sh\\ntouch {MARKS}/ran\\n'`

/** Settings of git that name a program. */
const SETTINGS = [
  'core.fsmonitor',
  'core.pager',
  'core.editor',
  'core.sshCommand',
  'core.askPass',
  'diff.external',
  'pager.log',
  'credential.helper',
  'gpg.program',
  'sequence.editor',
  'uploadpack.packObjectsHook',
  'interactive.diffFilter',
  'merge.x.driver',
  'diff.x.textconv',
  'filter.x.clean',
  'alias.st',
]

const settings: readonly Try[] = [
  {
    name: 'git config sets a program in the project',
    steps: SETTINGS.slice(0, 8).map((key) => `git config ${key} ${RUN}`),
    control: { run: 'git status --short && git log -1 --oneline', expects: /first/ },
  },
  {
    name: 'git config sets a program with a driver in the project',
    steps: [
      ...SETTINGS.slice(8).map((key) => `git config ${key} ${RUN}`),
      `echo '*.txt diff=x filter=x' > .gitattributes; git config filter.x.smudge ${RUN}; echo more >> readme.txt`,
    ],
    control: { run: 'git status --short', expects: /readme|gitattributes|no output/ },
  },
  {
    name: 'the configuration is written as a file',
    steps: [
      `printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> .git/config`,
      `cp .git/config c; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> c; mv -f c .git/config`,
      `git config --file .git/config core.fsmonitor ${RUN}; cp .git/config c; ln -f c .git/config; rm -f .git/config; mv c .git/config`,
    ],
  },
  {
    name: 'the configuration includes a file of the project',
    steps: [
      `printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' > extra.ini; git config include.path ../extra.ini`,
      `git config includeIf.gitdir:**.path ../extra.ini; printf '[include]\\n\\tpath = ../extra.ini\\n' >> .git/config`,
    ],
  },
  {
    name: 'the configuration already includes a file of the project',
    project: `printf '[user]\\n\\tname = Ada\\n' > team.ini; git config include.path ../team.ini; git add team.ini; git commit -qm team`,
    steps: [`printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> team.ini`],
  },
  {
    name: 'hooksPath already names a folder of the project',
    project: `mkdir .hooks; echo readme > .hooks/readme; git config core.hooksPath .hooks; git add -f .hooks; git commit -qm hooks`,
    steps: [
      `${SCRIPT} > .hooks/pre-commit; chmod +x .hooks/pre-commit; cp .hooks/pre-commit .hooks/post-checkout`,
    ],
  },
  {
    name: 'a filter of the person runs a script of the project',
    project: `mkdir tools; printf '#!/bin/sh\\ncat\\n' > tools/clean.sh; chmod +x tools/clean.sh; git config filter.fmt.clean ./tools/clean.sh; echo '*.txt filter=fmt' > .gitattributes; git add -A; git commit -qm filter`,
    steps: [`printf '#!/bin/sh\\ntouch {MARKS}/ran\\ncat\\n' > tools/clean.sh; echo more >> readme.txt`],
  },
  {
    name: 'a configuration of the worktree',
    project: 'git config extensions.worktreeConfig true',
    steps: [
      `git config --worktree core.fsmonitor ${RUN}; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' > .git/config.worktree`,
    ],
  },
  {
    name: 'a common folder for the repository',
    steps: [
      `cp -r .git evil; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> evil/config; echo ../evil > .git/commondir`,
      'echo ../evil > .git/commondir',
    ],
  },
  {
    name: 'the repository is moved away and another one made',
    steps: [
      `mv .git old; git init -q .; git config core.fsmonitor ${RUN}`,
      `cp -r .git copy; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> copy/config; rm -rf .git; mv copy .git`,
      `cp -r .git copy; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> copy/config; mv -T copy .git; mv --exchange copy .git`,
    ],
  },
  {
    name: 'the repository is made by a command, with hooks from a template',
    project: 'rm -rf .git',
    steps: [
      `mkdir -p t/hooks; ${SCRIPT} > t/hooks/pre-commit; chmod +x t/hooks/pre-commit; git init -q --template=t .; git add -A`,
      `git config core.fsmonitor ${RUN}`,
    ],
    control: { run: 'cat readme.txt', expects: /hello/ },
  },
  {
    name: 'the repository becomes a file that names another one',
    steps: [
      `cp -r .git evil; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> evil/config; mv .git old && echo 'gitdir: evil' > .git; rm -rf .git && echo 'gitdir: evil' > .git`,
    ],
  },
  {
    name: 'git reads the environment of the command',
    steps: [
      `GIT_CONFIG_GLOBAL={PROJECT}/g git config --global core.fsmonitor ${RUN}; GIT_DIR={PROJECT}/.git GIT_CONFIG={PROJECT}/.git/config git config core.fsmonitor ${RUN}; XDG_CONFIG_HOME=. git config --global x.y z; git config --system core.pager ${RUN}`,
    ],
  },
]

const hooks: readonly Try[] = [
  {
    name: 'a hook is written',
    steps: [
      `mkdir -p .git/hooks; for h in pre-commit post-checkout post-commit post-index-change reference-transaction fsmonitor-watchman; do ${SCRIPT} > .git/hooks/$h; chmod +x .git/hooks/$h; done`,
    ],
    control: {
      run: 'echo b > b.txt && git add b.txt && git commit -qm b && git log --oneline',
      expects: / b$/m,
    },
  },
  {
    name: 'a hook is written where the folder is missing',
    project: 'rm -rf .git/hooks',
    steps: [
      `mkdir -p .git/hooks; ${SCRIPT} > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
      `mkdir h; ${SCRIPT} > h/pre-commit; chmod +x h/pre-commit; mv h .git/hooks; ln -s ../h .git/hooks`,
    ],
  },
  {
    name: 'a sample hook is renamed or changed in place',
    project: 'printf "#!/bin/sh\\nexit 0\\n" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
    steps: [
      `mv .git/hooks/pre-commit.sample .git/hooks/pre-push; echo 'touch {MARKS}/ran' >> .git/hooks/pre-commit; ln .git/hooks/pre-commit l; echo 'touch {MARKS}/ran' >> l; sed -i 's|exit 0|touch {MARKS}/ran|' .git/hooks/pre-commit`,
    ],
  },
  {
    name: 'the folder of hooks is moved away',
    steps: [
      `mv .git/hooks .git/old; mkdir .git/hooks; ${SCRIPT} > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; mv .git .g; mkdir -p .g/hooks; ${SCRIPT} > .g/hooks/pre-commit; chmod +x .g/hooks/pre-commit; mv .g .git`,
    ],
  },
]

const embedded: readonly Try[] = [
  {
    name: 'an embedded repository brings a program along',
    steps: [
      `git init -q lib; git -C lib commit -q --allow-empty -m x; git -C lib config core.fsmonitor ${RUN}; git add lib`,
    ],
    control: {
      run: 'git init -q other && git -C other commit -q --allow-empty -m y && git -C other log --oneline',
      expects: /y/,
    },
  },
  {
    name: 'an embedded repository is configured in a later command',
    steps: [
      'git init -q lib; git -C lib commit -q --allow-empty -m x',
      `git -C lib config core.fsmonitor ${RUN}; git add lib`,
      `printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> lib/.git/config`,
    ],
  },
  {
    name: 'a clone of the project with hooks',
    steps: [
      `git clone -q . sub; ${SCRIPT} > sub/.git/hooks/pre-commit; chmod +x sub/.git/hooks/pre-commit; git clone -q -c core.fsmonitor=${RUN} . sub2`,
    ],
    control: { run: 'git clone -q . sub3 && git -C sub3 log --oneline', expects: /first/ },
  },
  {
    name: 'a bare repository in a folder of the project',
    steps: [
      `git init -q --bare fake; printf '[core]\\n\\tbare = false\\n\\tworktree = ..\\n\\tfsmonitor = touch {MARKS}/ran\\n' > fake/config`,
    ],
  },
  {
    name: 'a bare repository made without git',
    steps: [
      `mkdir -p data/objects data/refs/heads; echo 'ref: refs/heads/main' > data/HEAD; printf '[core]\\n\\tbare = false\\n\\tworktree = ..\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = touch {MARKS}/ran\\n' > data/config`,
    ],
  },
  {
    name: 'a repository made without git',
    steps: [
      `mkdir -p lib/.git/objects lib/.git/refs/heads; echo 'ref: refs/heads/main' > lib/.git/HEAD; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' > lib/.git/config`,
      `mkdir -p a/b/c/d/e/f/g/h/i/j/k; cp -r lib a/b/c/d/e/f/g/h/i/j/k/`,
    ],
  },
  {
    name: 'a repository is unpacked from an archive',
    project: `mkdir x; git init -q x/lib; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> x/lib/.git/config; tar cf lib.tar -C x lib; rm -rf x`,
    steps: ['tar xf lib.tar', 'mv lib vendor; mkdir -p node_modules; cp -r vendor node_modules/lib'],
  },
  {
    name: 'a repository lies below node_modules',
    steps: [
      `mkdir -p node_modules/pkg vendor/x target/y; for d in node_modules/pkg vendor/x target/y; do git init -q $d; git -C $d config core.fsmonitor ${RUN}; done`,
    ],
  },
  {
    name: 'a submodule is configured',
    project: `git init -q {OUTSIDE}/lib; git -C {OUTSIDE}/lib commit -q --allow-empty -m x; git -c protocol.file.allow=always submodule add -q {OUTSIDE}/lib lib; git commit -qm sub`,
    steps: [
      `git -C lib config core.fsmonitor ${RUN}; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> .git/modules/lib/config; mkdir -p .git/modules/lib/hooks; ${SCRIPT} > .git/modules/lib/hooks/post-checkout; chmod +x .git/modules/lib/hooks/post-checkout; ${SCRIPT} > .git/modules/lib/hooks/pre-commit; chmod +x .git/modules/lib/hooks/pre-commit`,
      `rm lib/.git; git init -q lib; git -C lib config core.fsmonitor ${RUN}`,
    ],
    control: { run: 'git -C lib status --short; git -C lib log --oneline', expects: / x$/m },
  },
  {
    name: 'a submodule is added by a command',
    steps: [
      `mkdir .git/modules; mkdir -p .git/modules/m/objects .git/modules/m/refs; cp .git/HEAD .git/modules/m/; printf '[core]\\n\\tworktree = ../../../m\\n\\tfsmonitor = touch {MARKS}/ran\\n' > .git/modules/m/config; mkdir m; echo 'gitdir: ../.git/modules/m' > m/.git`,
    ],
  },
  {
    name: 'a worktree is made and configured',
    steps: [
      `git worktree add -q wt -b wt; git config extensions.worktreeConfig true; git -C wt config --worktree core.fsmonitor ${RUN}; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' > .git/worktrees/wt/config.worktree`,
      `cp -r .git wt2git; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> wt2git/config; echo {PROJECT}/wt2git > .git/worktrees/wt/commondir`,
    ],
  },
]

const FILES: Readonly<Record<string, string>> = {
  '.envrc': 'touch {MARKS}/ran',
  '.husky/pre-commit': 'touch {MARKS}/ran',
  '.githooks/pre-commit': 'touch {MARKS}/ran',
  'lefthook.yml': 'pre-commit: {commands: {a: {run: touch {MARKS}/ran}}}',
  '.yarnrc.yml': 'yarnPath: {MARKS}/ran',
  '.yarnrc': 'yarn-path {MARKS}/ran',
  '.pnpmfile.cjs': 'require("fs").writeFileSync("{MARKS}/ran","")',
  '.npmrc': 'script-shell={MARKS}/ran',
  '.devcontainer/devcontainer.json': '{"initializeCommand":"touch {MARKS}/ran"}',
  '.devcontainer.json': '{"initializeCommand":"touch {MARKS}/ran"}',
  'mise.toml': 'hooks.enter = "touch {MARKS}/ran"',
  '.mise.toml': 'hooks.enter = "touch {MARKS}/ran"',
  '.exrc': ':!touch {MARKS}/ran',
  '.nvim.lua': 'os.execute("touch {MARKS}/ran")',
  '.vscode/tasks.json': '{"tasks":[{"command":"touch {MARKS}/ran","runOptions":{"runOn":"folderOpen"}}]}',
  '.vscode/settings.json': '{"git.path":"{MARKS}/ran"}',
  'x.code-workspace': '{"tasks":{"tasks":[{"command":"touch {MARKS}/ran"}]}}',
  '.idea/workspace.xml': '<x>{MARKS}/ran</x>',
  '.zed/tasks.json': '[{"command":"touch {MARKS}/ran"}]',
  '.mcp.json': '{"mcpServers":{"x":{"command":"{MARKS}/ran"}}}',
  '.claude/settings.json': '{"hooks":{"x":"touch {MARKS}/ran"}}',
  '.cursor/mcp.json': '{"mcpServers":{"x":{"command":"{MARKS}/ran"}}}',
  '.covey/config.toml': '[hooks.x]\\nevent = "session_start"\\ncommand = "touch {MARKS}/ran"',
  '.pre-commit-config.yaml': 'repos: [{entry: touch {MARKS}/ran}]',
  '.cargo/config.toml': '[build]\\nrustc-wrapper = "{MARKS}/ran"',
  '.lvimrc': '!touch {MARKS}/ran',
  '.dir-locals.el': '((nil . ((eval . (shell-command "touch {MARKS}/ran")))))',
  '.gdbinit': 'shell touch {MARKS}/ran',
}

const edits: readonly Try[] = [
  {
    name: 'every file that is obeyed is written by a file tool',
    steps: Object.entries(FILES).map(([path, content]) => ({ call: 'write_file', input: { path, content } })),
    control: { run: 'cat readme.txt', expects: /hello/ },
  },
  {
    name: 'every file that is obeyed is written by a patch',
    steps: Object.keys(FILES).map((path) => ({
      call: 'apply_patch',
      input: { patch: `*** Begin Patch\n*** Add File: ${path}\n+touch {MARKS}/ran\n*** End Patch` },
    })),
    control: { run: 'cat readme.txt', expects: /hello/ },
  },
]

const quotedText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const write = (name: string, text: string): string =>
  `mkdir -p "$(dirname ${name})"; printf '%b\\n' ${quotedText(text)} > ${name}`

const files: readonly Try[] = Object.entries(FILES).map(([name, text]) => ({
  name: `${name} is made, here and in a folder`,
  steps: [write(name, text), write(`packages/app/${name}`, text)],
  control: { run: `echo '{"scripts":{"x":"true"}}' > package.json; cat package.json`, expects: /scripts/ },
}))

const roundabout: readonly Try[] = [
  {
    name: 'a file that exists is changed',
    project:
      'mkdir -p .vscode .husky; echo {} > .vscode/tasks.json; echo true > .husky/pre-commit; echo true > .envrc; git add -Af; git commit -qm x',
    steps: [
      `echo 'touch {MARKS}/ran' >> .husky/pre-commit; echo '{MARKS}' >> .vscode/tasks.json; echo 'touch {MARKS}/ran' >> .envrc; sed -i 's|true|touch {MARKS}/ran|' .husky/pre-commit .envrc; rm -rf .vscode; mkdir .vscode; echo '{MARKS}' > .vscode/tasks.json`,
      `mv .husky h; mkdir .husky; echo 'touch {MARKS}/ran' > .husky/pre-commit`,
    ],
    control: { run: 'cat .husky/pre-commit', expects: /true/ },
  },
  {
    name: 'a file that exists is changed under a second name',
    project:
      'mkdir -p .vscode .husky; echo {} > .vscode/tasks.json; echo true > .husky/pre-commit; git add -Af; git commit -qm x',
    steps: [
      `ln .husky/pre-commit a; echo 'touch {MARKS}/ran' >> a; ln .vscode/tasks.json b; echo {MARKS} >> b; cp -l -r .husky c; echo 'touch {MARKS}/ran' >> c/pre-commit`,
    ],
  },
  {
    name: 'a file is a link to one with a harmless name',
    steps: [
      `echo 'touch {MARKS}/ran' > env.sh; ln -s env.sh .envrc; mkdir h; echo 'touch {MARKS}/ran' > h/pre-commit; ln -s h .husky; ln -s h .githooks`,
      `echo 'touch {MARKS}/ran' >> env.sh`,
    ],
  },
  {
    name: 'a link that exists leads to a file that changes',
    project:
      'echo true > env.sh; ln -s env.sh .envrc; mkdir h; echo true > h/pre-commit; ln -s h .husky; git add -Af; git commit -qm x',
    steps: [
      `echo 'touch {MARKS}/ran' >> env.sh; echo 'touch {MARKS}/ran' >> h/pre-commit`,
      `rm env.sh; echo 'touch {MARKS}/ran' > env.sh; mv h g; mkdir h; echo 'touch {MARKS}/ran' > h/pre-commit`,
    ],
  },
  {
    name: 'a commit of the session with an old date brings it along',
    steps: [
      `git checkout -q -b evil; blob=$(echo 'touch {MARKS}/ran' | git hash-object -w --stdin); tree=$(printf '100644 blob %s\\t.envrc\\n' $blob | git mktree); GIT_COMMITTER_DATE=2001-01-01T00:00:00Z GIT_AUTHOR_DATE=2001-01-01T00:00:00Z git commit-tree $tree -m old > id; git branch -f evil2 $(cat id)`,
      'git checkout -q -f evil2 || git switch -f evil2 || git checkout $(cat id) -- .envrc; git restore --source=evil2 .envrc',
    ],
    control: { run: 'git log -1 --format=%s', expects: /old|first/ },
  },
  {
    name: 'a stash, a patch and an archive bring it along',
    project: `mkdir x; echo 'touch {MARKS}/ran' > x/.envrc; mkdir x/.husky; echo 'touch {MARKS}/ran' > x/.husky/pre-commit; tar cf a.tar -C x .envrc .husky; rm -rf x; printf -- '--- /dev/null\\n+++ b/.envrc\\n@@ -0,0 +1 @@\\n+touch {MARKS}/ran\\n' > p.patch`,
    steps: [
      'tar xf a.tar',
      'patch -p1 < p.patch; git apply p.patch',
      'mkdir n; tar xf a.tar -C n; mv n/.envrc .; mv n/.husky .; mv n nested',
    ],
  },
  {
    name: 'a job makes it after the command has ended',
    steps: [
      {
        background: `sleep 0.7; echo 'touch {MARKS}/ran' > .envrc; mkdir -p .husky; echo 'touch {MARKS}/ran' > .husky/pre-commit; git init -q late; git -C late config core.fsmonitor ${RUN}`,
      },
      'sleep 1.2',
    ],
  },
  {
    name: 'a job makes it while the session ends',
    steps: [
      {
        background: `while :; do echo 'touch {MARKS}/ran' > .envrc; mkdir -p sub; echo 'touch {MARKS}/ran' > sub/.envrc; sleep 0.01; done`,
      },
    ],
  },
  {
    name: 'a command is cancelled by its own signal after it made it',
    steps: [
      `echo 'touch {MARKS}/ran' > .envrc; git init -q lib; git -C lib config core.fsmonitor ${RUN}; kill -9 $$`,
    ],
  },
  {
    name: 'the interpreter tools make it',
    steps: [
      { call: 'python', input: { code: 'open(".envrc","w").write("touch {MARKS}/ran")' } },
      {
        call: 'javascript',
        input: { code: '(await import("node:fs")).writeFileSync(".nvim.lua","touch {MARKS}/ran")' },
      },
    ],
    needs: ['python3'],
  },
  {
    name: 'edits of files make it',
    steps: [
      { call: 'write_file', input: { path: '.git/hooks/pre-commit', content: 'touch {MARKS}/ran' } },
      {
        call: 'write_file',
        input: { path: 'sub/.git/config', content: '[core]\n\tfsmonitor = touch {MARKS}/ran\n' },
      },
      { call: 'write_file', input: { path: 'sub/.git/HEAD', content: 'ref: refs/heads/main\n' } },
      { call: 'write_file', input: { path: '.githooks/pre-commit', content: 'touch {MARKS}/ran' } },
      { call: 'write_file', input: { path: 'lefthook.yml', content: 'touch {MARKS}/ran' } },
      { call: 'write_file', input: { path: '.nvim.lua', content: 'touch {MARKS}/ran' } },
      { call: 'write_file', input: { path: 'mise.toml', content: 'touch {MARKS}/ran' } },
    ],
  },
  {
    name: 'content of an older commit is not asked for',
    project: `git checkout -q -b tools; mkdir .husky; echo true > .husky/pre-commit; echo x > .envrc; git add -Af; git commit -qm tools; git checkout -q main`,
    steps: [`echo 'touch {MARKS}/ran' > .envrc`],
    control: {
      run: 'rm -f .envrc; git switch -q tools && cat .husky/pre-commit && git switch -q main && git status --short',
      expects: /true/,
    },
  },
]

export const laterTries: readonly Try[] = [
  ...settings,
  ...hooks,
  ...embedded,
  ...files,
  ...edits,
  ...roundabout,
]
