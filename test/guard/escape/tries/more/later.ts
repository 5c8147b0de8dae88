/** Class 4, further: names that are not in every list, contents that change behind the back of a comparison, limits. */
import type { Try } from '../../try.ts'

const RUN = `'touch {MARKS}/ran'`
const SCRIPT = `printf '#!/bin/sh\\ntouch {MARKS}/ran\\n'`
const MANY = 'for i in $(seq 600); do echo x > $d/a$i; done'

const limits: readonly Try[] = [
  {
    name: 'a repository in a folder whose name is not text',
    steps: [
      `d="$(printf 'x\\377')"; mkdir "$d"; git init -q "$d/lib"; git -C "$d/lib" config core.fsmonitor ${RUN}; git -C "$d/lib" commit -q --allow-empty -m x; git add .`,
      `d="$(printf 'y\\377')"; mkdir -p "$d/.husky"; echo 'touch {MARKS}/ran' > "$d/.envrc"; echo 'touch {MARKS}/ran' > "$d/.husky/pre-commit"; echo '{MARKS}' > "$(printf 'z\\377.code-workspace')"`,
    ],
    control: {
      run: `echo caf > "$(printf 'caf\\351.txt')"; cat "$(printf 'caf\\351.txt')"; ls`,
      expects: /^caf$/m,
    },
  },
  {
    name: 'links that exist lead to a file and a folder whose contents change',
    project:
      'mkdir conf; echo "-- nothing" > init.lua; ln -s init.lua .nvim.lua; echo "[net]" > conf/config.toml; ln -s conf .cargo; git add -Af; git commit -qm links',
    steps: [
      `echo 'os.execute("touch {MARKS}/ran")' >> init.lua; printf '[build]\\nrustc-wrapper = "{MARKS}/ran"\\n' >> conf/config.toml`,
      `ln -sfn init.lua .nvim.lua; ln -sfn conf .cargo`,
    ],
    control: { run: 'echo "-- more" > other.lua; cat other.lua', expects: /-- more/ },
  },
  {
    name: 'hooksPath names a folder in which the hook is one of many files',
    project: `mkdir .hooks; echo readme > .hooks/readme; git config core.hooksPath .hooks; git add -f .hooks; git commit -qm hooks`,
    steps: [
      `d=.hooks; ${MANY}`,
      `${SCRIPT} > .hooks/pre-commit; chmod +x .hooks/pre-commit; cp .hooks/pre-commit .hooks/post-checkout; cp .hooks/pre-commit .hooks/post-index-change`,
    ],
  },
  {
    name: 'hooksPath names a link to a folder with many files',
    project: `mkdir big; d=big; ${MANY}; ln -s big .hooks; git config core.hooksPath .hooks; git add -f big .hooks; git commit -qm hooks`,
    steps: [`${SCRIPT} > big/pre-commit; chmod +x big/pre-commit; cp big/pre-commit big/post-checkout`],
  },
  {
    name: 'a link that is obeyed leads to a folder with many files',
    project: `mkdir big; d=big; ${MANY}; echo true > big/pre-commit; ln -s big .husky; git add -f big .husky; git commit -qm hooks`,
    steps: [`echo 'touch {MARKS}/ran' > big/pre-commit; echo 'touch {MARKS}/ran' > big/pre-push`],
  },
  {
    name: 'a file that is obeyed is larger than what is compared',
    steps: [
      `{ echo 'touch {MARKS}/ran'; head -c 900000 /dev/zero | tr '\\0' '#'; } > .envrc`,
      `{ echo 'touch {MARKS}/ran'; head -c 3000000 /dev/zero | tr '\\0' '#'; } > .nvim.lua; { printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n'; head -c 3000000 /dev/zero | tr '\\0' '#'; } > c; git init -q lib; cp c lib/.git/config`,
    ],
    absent: ['.nvim.lua', '.envrc'],
  },
  {
    name: 'a configuration changes in memory while its times stay',
    steps: [
      {
        background: `git init -q lib; git -C lib config core.fsmonitor false; git -C lib config core.hooksPath ''; git -C lib commit -q --allow-empty -m x; python3 - <<'END'
import mmap, os, time
p = 'lib/.git/config'
evil = b'[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n'
f = os.open(p, os.O_RDWR)
size = os.fstat(f).st_size
os.ftruncate(f, size + len(evil) + 8)
os.pwrite(f, b'\\n' + b'#' * (len(evil) + 6) + b'\\n', size)
m = mmap.mmap(f, size + len(evil) + 8)
m[size + 1] = 35
time.sleep(1.6)
m[size + 1:size + 1 + len(evil)] = evil
time.sleep(30)
END`,
      },
      'sleep 1; cat lib/.git/config',
      'sleep 1.5; cat lib/.git/config',
      'git -C lib log --oneline',
    ],
    needs: ['python3'],
  },
]

/** A program names it in a way that is not plainly a path. */
const indirect = (name: string, value: string): Try => ({
  name: `a setting of the person names a script of the project ${name}`,
  project: `mkdir -p tools/fs; printf '#!/bin/sh\\n' > tools/fs/watch.sh; chmod +x tools/fs/watch.sh; git config core.fsmonitor ${value}; git add -A; git commit -qm watch`,
  steps: [`printf '#!/bin/sh\\ntouch {MARKS}/ran\\n' > tools/fs/watch.sh; echo more >> readme.txt`],
})

const settings: readonly Try[] = [
  indirect('below the top of the repository', `'"$(git rev-parse --show-toplevel)"/tools/fs/watch.sh'`),
  indirect('below a variable', `'$PWD/tools/fs/watch.sh'`),
  indirect('after a change of folder', `'cd tools && ./fs/watch.sh'`),
  indirect('through a shell', `'sh -c "exec tools/fs/watch.sh"'`),
  indirect('with a variable in front', `'LC_ALL=C tools/fs/watch.sh'`),
  {
    name: 'a branch takes from an address that starts a program',
    project: 'git init -q --bare ../origin.git; git remote add origin ../origin.git',
    steps: [
      `git config branch.main.remote 'run::{MARKS}/ran'; git config branch.main.merge refs/heads/main; git config branch.main.pushRemote 'run::{MARKS}/ran'; git config remote.pushDefault 'run::{MARKS}/ran'`,
      `git init -q lib; git -C lib config branch.main.remote 'run::{MARKS}/ran'; git -C lib config remote.pushDefault 'run::{MARKS}/ran'`,
    ],
    allows: /^\/home\/work\/origin/,
  },
]

const git: readonly Try[] = [
  {
    name: 'a rebase in progress runs a program when it goes on',
    project: 'git commit -q --allow-empty -m two; git commit -q --allow-empty -m three',
    steps: [
      `GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i HEAD~1; printf 'x touch {MARKS}/ran\\nexec touch {MARKS}/ran\\n' >> .git/rebase-merge/git-rebase-todo`,
      `printf '\\texec touch {MARKS}/ran\\n' >> .git/rebase-merge/git-rebase-todo; grep -c {MARKS} .git/rebase-merge/git-rebase-todo`,
      { host: 'git rebase --continue; git rebase --abort' },
    ],
    control: { run: 'cat readme.txt', expects: /hello/ },
  },
  {
    name: 'a forged worktree lies in the repository',
    steps: [
      `mkdir -p .git/worktrees/w/hooks .git/worktrees/w/objects .git/worktrees/w/refs w; cp .git/HEAD .git/worktrees/w/; echo 'gitdir: ../.git/worktrees/w' > w/.git; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' > .git/worktrees/w/config; ${SCRIPT} > .git/worktrees/w/hooks/pre-commit; chmod +x .git/worktrees/w/hooks/pre-commit`,
      `mkdir -p .git/modules/deep/er/hooks .git/modules/deep/er/objects .git/modules/deep/er/refs s; cp .git/HEAD .git/modules/deep/er/; echo 'gitdir: ../.git/modules/deep/er' > s/.git; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' > .git/modules/deep/er/config`,
    ],
  },
  {
    name: 'a repository whose parts are links',
    steps: [
      `mkdir parts lib; git init -q parts/r; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' > parts/config.txt; mkdir lib/.git; cp parts/r/.git/HEAD lib/.git; for n in objects refs; do ln -s ../../parts/r/.git/$n lib/.git/$n; done; ln -s ../../parts/config.txt lib/.git/config`,
      `mkdir bare; cp parts/r/.git/HEAD bare; for n in objects refs; do ln -s ../parts/r/.git/$n bare/$n; done; ln -s ../parts/config.txt bare/config; printf '[core]\\n\\tbare = false\\n\\tworktree = ..\\n\\tfsmonitor = touch {MARKS}/ran\\n' > parts/config.txt`,
    ],
  },
  {
    name: 'attributes name a driver that the person has',
    home: `printf '#!/bin/sh\\ntouch {MARKS}/ran; cat\\n' > {OUTSIDE}/mine; chmod +x {OUTSIDE}/mine; printf '[filter "mine"]\\n\\tclean = {OUTSIDE}/mine\\n[diff "mine"]\\n\\ttextconv = {OUTSIDE}/mine\\n[merge "mine"]\\n\\tdriver = {OUTSIDE}/mine\\n' >> .gitconfig`,
    steps: [
      `printf '*.txt filter=mine diff=mine merge=mine\\n' > .gitattributes; echo more >> readme.txt`,
      `printf '[attr]x filter=mine diff=mine\\n*.txt x\\n' > .gitattributes`,
      `printf '"*.txt"\\tfilter=mine\\r\\n' > .gitattributes; mkdir -p src; printf '* -text filter=mine\\n' > src/.gitattributes; echo b >> src/a.ts`,
      `mkdir -p .git/info; printf '* filter=mine\\n' > .git/info/attributes`,
    ],
  },
  {
    name: 'a repository is made by a checkout, an archive, a bundle and a patch',
    project: `mkdir x; git init -q x/lib; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> x/lib/.git/config; mv x/lib/.git x/lib/dotgit; tar cf lib.tar -C x lib --transform 's/dotgit/.git/'; (cd x && zip -qr ../lib.zip lib 2>/dev/null || true); rm -rf x`,
    steps: [
      'mkdir a; tar xf lib.tar -C a; mv a/lib/.git a/lib/.Git; mv a/lib/.Git a/lib/.git',
      "mkdir -p b; cp -r a/lib/.git b/.git; rsync -a a/lib/ c/ 2>/dev/null; python3 -c \"import tarfile; tarfile.open('lib.tar').extractall('d')\"",
    ],
  },
]

/** Files that some program obeys by itself, beside the well-known ones. */
const FILES: Readonly<Record<string, string>> = {
  'rust-toolchain.toml': '[toolchain]\npath = "{MARKS}/ran"',
  'rust-toolchain': '[toolchain]\npath = "{MARKS}/ran"',
  'rust-analyzer.toml': '[check]\noverrideCommand = ["touch", "{MARKS}/ran"]',
  'pnpm-workspace.yaml': 'packages: []\npnpmfile: {MARKS}/ran\nscriptShell: {MARKS}/ran',
  '.tool-versions': 'nodejs path:{MARKS}/ran',
  '.python-version': 'path:{MARKS}/ran',
  '.node-version': '../../../../{MARKS}/ran',
  '.bazelversion': 'evil-{MARKS}/7.0.0',
  '.rvmrc': 'touch {MARKS}/ran',
  '.sbtopts': '-J-javaagent:{MARKS}/ran.jar',
  '.jvmopts': '-javaagent:{MARKS}/ran.jar',
  '.octaverc': 'system("touch {MARKS}/ran")',
  '.Renviron': 'R_PROFILE_USER={MARKS}/ran',
  'jupyter_server_config.py': 'import os; os.system("touch {MARKS}/ran")',
  'jupyter_notebook_config.py': 'import os; os.system("touch {MARKS}/ran")',
  '.rdbgrc': 'system("touch {MARKS}/ran")',
  '.byebugrc': 'system("touch {MARKS}/ran")',
  '.luarc.json': '{"runtime.plugin":"{MARKS}/ran.lua"}',
  '.neoconf.json': '{"lspconfig":{"x":{"cmd":["touch","{MARKS}/ran"]}}}',
  '.idx/dev.nix': '{ onStart = "touch {MARKS}/ran"; }',
  '.codesandbox/tasks.json': '{"setupTasks":["touch {MARKS}/ran"]}',
  '.replit': 'run = "touch {MARKS}/ran"',
  'devfile.yaml': 'events: {postStart: [touch {MARKS}/ran]}',
  '.shadowenv.d/100.lisp': '(env/set "PATH" "{MARKS}/ran")',
  '.amazonq/mcp.json': '{"mcpServers":{"x":{"command":"{MARKS}/ran"}}}',
  '.kilocode/mcp.json': '{"mcpServers":{"x":{"command":"{MARKS}/ran"}}}',
  '.openhands/setup.sh': 'touch {MARKS}/ran',
  '.warp/workflows/x.yaml': 'command: touch {MARKS}/ran',
  '.husky/Makefile': 'all:\n\ttouch {MARKS}/ran',
  '.devcontainer/Dockerfile': 'RUN touch {MARKS}/ran',
  '.yarn/plugins/webpack.config.js': 'require("fs").writeFileSync("{MARKS}/ran","")',
  '.vim/setup.py': 'touch {MARKS}/ran',
}

const quotedText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** In groups: each name costs little more than the first. */
const GROUP = 8
const entries = Object.entries(FILES)
const files: readonly Try[] = Array.from({ length: Math.ceil(entries.length / GROUP) }, (_, group) => {
  const own = entries.slice(group * GROUP, group * GROUP + GROUP)
  const names = own.map(([name]) => name)
  return {
    name: `files that are obeyed are made: ${names.join(', ')}`,
    steps: own.map(
      ([name, text]) => `mkdir -p "$(dirname pkg/${name})"; printf '%s\\n' ${quotedText(text)} > pkg/${name}`,
    ),
    absent: names.map((name) => `pkg/${name}`),
    control: {
      run: `printf 'nodejs 20.1.0\\n' > a/.tool-versions 2>/dev/null; printf '[toolchain]\\nchannel = "stable"\\n' > rust-toolchain.toml; printf '3.12.1\\n' > .python-version; printf 'packages:\\n  - "packages/*"\\n' > pnpm-workspace.yaml; cat rust-toolchain.toml .python-version pnpm-workspace.yaml`,
      expects: /stable[^]*3\.12\.1[^]*packages\/\*/,
    },
  }
})

export const moreLaterTries: readonly Try[] = [...limits, ...settings, ...git, ...files]
