/** Class 1: a link in the project, shipped or made by a command, must not decide what the sandbox binds or uncovers. */
import type { Try } from '../try.ts'

const READ = 'rev {HOME}/.ssh/id_ed25519 {HOME}/.ssh/config'
const WRITE = 'echo planted > {HOME}/.ssh/authorized_keys'

/** Names that a guard knows, each a folder of the person in disguise. */
const FOLDER_NAMES = [
  '.zed',
  '.vscode',
  '.idea',
  '.husky',
  '.covey',
  '.claude',
  '.cursor',
  '.github/workflows',
  '.git/hooks',
  '.git/modules',
  '.git/info',
  '.git/logs',
  '.git/worktrees',
  'node_modules',
  '.venv',
  'secrets',
]

const shippedFolders: readonly Try[] = FOLDER_NAMES.map((name) => ({
  name: `the repository ships ${name} as a link to ~/.ssh`,
  project: `rm -rf ${name}; mkdir -p "$(dirname ${name})"; ln -s {HOME}/.ssh ${name}`,
  steps: [
    `rev ${name}/id_ed25519; ${READ}; echo planted > ${name}/authorized_keys; ${WRITE}`,
    `rev ${name}/id_ed25519`,
  ],
}))

const FILE_NAMES = [
  '.env',
  'AGENTS.md',
  '.git/config.worktree',
  '.mcp.json',
  'deploy.key',
  '.npmrc',
  '.git/info/exclude',
]

const shippedFiles: readonly Try[] = FILE_NAMES.map((name) => ({
  name: `the repository ships ${name} as a link to a private key`,
  project: `rm -rf ${name}; ln -s {HOME}/.ssh/id_ed25519 ${name}`,
  steps: [`rev ${name}; ${READ}; echo planted >> ${name}; ${WRITE}`, `rev ${name}`],
}))

const made: readonly Try[] = [
  {
    name: 'a command makes .git/modules a link, the next one writes through it',
    steps: [
      'ln -s ../../../.ssh .git/modules',
      'echo planted > .git/modules/authorized_keys; rev .git/modules/id_ed25519',
    ],
  },
  {
    name: 'a command makes every name that is pinned a link',
    steps: [
      'for n in .vscode .idea .husky .covey .claude .github .zed .devcontainer; do ln -sfn {HOME}/.ssh $n; done; mkdir -p sub; ln -s {HOME}/.ssh sub/.git',
      `${READ}; ${WRITE}; rev .vscode/id_ed25519 sub/.git/id_ed25519`,
    ],
  },
  {
    name: 'a folder is exchanged for a link between two commands',
    project: 'mkdir sub && echo KEY=1 > sub/.env',
    steps: ['mv sub old; ln -s {HOME}/.ssh sub', `ls sub/; rev sub/id_ed25519; ${WRITE}`],
  },
  {
    name: 'a folder is exchanged for a link by the repository between plan and mount',
    isSlow: true,
    project: 'mkdir -p .vscode; echo 1 > .vscode/settings.json',
    steps: [
      {
        host: '(while [ ! -e ../.stop ] && [ -d ../project ]; do rm -rf .vscode; ln -s {HOME}/.ssh .vscode; sleep 0.002; rm .vscode; mkdir .vscode; done) >/dev/null 2>&1 &',
      },
      `${READ}; ${WRITE}; rev .vscode/id_ed25519`,
      `${READ}; ${WRITE}; rev .vscode/id_ed25519`,
      `${READ}; ${WRITE}; rev .vscode/id_ed25519`,
      { host: 'touch ../.stop; sleep 0.5; rm -f ../.stop' },
    ],
  },
  {
    name: 'a background job swaps a folder for a link while other commands start',
    isSlow: true,
    project: 'mkdir -p .vscode sub; echo 1 > .vscode/settings.json; echo KEY=1 > sub/.env',
    steps: [
      {
        background:
          'for i in $(seq 300); do mv sub old 2>/dev/null; ln -s {HOME}/.ssh sub 2>/dev/null; sleep 0.003; rm -f sub; mv old sub 2>/dev/null; done',
      },
      `${READ}; ${WRITE}; rev sub/id_ed25519; echo planted > sub/authorized_keys`,
      `${READ}; ${WRITE}; rev sub/id_ed25519; echo planted > sub/authorized_keys`,
      `${READ}; ${WRITE}; rev sub/id_ed25519; echo planted > sub/authorized_keys`,
    ],
  },
  {
    name: 'a chain of links inside the project ends outside',
    project: 'mkdir a; ln -s {HOME}/.ssh a/b; ln -s a/b c; ln -s ../c a/d; ln -s a/d .zed; ln -s a/d .idea',
    steps: [`rev .zed/id_ed25519 .idea/id_ed25519; ${READ}; echo planted > .zed/authorized_keys`],
  },
  {
    name: 'a hard link takes a key along',
    steps: [
      'ln {HOME}/.ssh/id_ed25519 key.txt; ln {HOME}/notes.txt n.txt; ln {OUTSIDE}/file.txt f.txt; rev key.txt n.txt; echo planted >> key.txt',
    ],
    allows: /^\/outside\/file\.txt$/,
  },
  {
    name: 'a link leads to a folder with a socket',
    project: 'ln -s {OUTSIDE} .zed; ln -s {HOME}/.keychain .vscode',
    steps: [
      `node -e "for (const p of ['.zed/docker.sock','.vscode/agent.sock','{HOME}/.keychain/agent.sock']) require('net').connect(p).on('data',d=>console.log(String(d))).on('error',e=>console.log(e.code))"`,
    ],
    needs: ['node'],
  },
]

const git: readonly Try[] = [
  {
    name: '.git is a link to the repository of another project',
    project: 'rm -rf .git; rm -rf ../other/.git; git init -q ../other; ln -s ../other/.git .git',
    steps: [
      `git config core.fsmonitor 'touch {MARKS}/fsmonitor'; echo planted > .git/planted; echo planted > {HOME}/work/other/planted; rev {HOME}/work/other/.env`,
    ],
    control: { run: 'cat readme.txt', expects: /hello/ },
  },
  {
    name: '.git is a file that names a folder which does not point back',
    project: 'rm -rf .git; echo "gitdir: {HOME}/.ssh" > .git',
    steps: [`${READ}; ${WRITE}`],
  },
  {
    name: 'a shipped worktree points back at itself and names ~/.ssh as the common folder',
    project:
      'mv .git meta; mkdir -p meta/worktrees/w; echo "gitdir: {PROJECT}/meta/worktrees/w" > .git; echo "{PROJECT}/.git" > meta/worktrees/w/gitdir; echo "{HOME}/.ssh" > meta/worktrees/w/commondir; cp meta/HEAD meta/worktrees/w/HEAD',
    steps: [`${READ}; ${WRITE}; ls {HOME}/.ssh; rm -f {HOME}/.ssh/config`],
  },
  {
    name: 'a worktree points back with a common folder that is the home',
    project:
      'mv .git meta; mkdir -p meta/worktrees/w; echo "gitdir: meta/worktrees/w" > .git; echo "{PROJECT}/.git" > meta/worktrees/w/gitdir; echo "{HOME}" > meta/worktrees/w/commondir; cp meta/HEAD meta/worktrees/w/HEAD; mkdir -p {HOME}/objects {HOME}/refs; cp meta/HEAD meta/config {HOME}/',
    steps: [
      `${READ}; ${WRITE}; rev {HOME}/.bash_history; echo planted > {HOME}/logs; echo planted > {HOME}/refs/x`,
    ],
  },
  {
    name: 'core.worktree names the home folder',
    project: 'git config core.worktree {HOME}',
    steps: [
      `${READ}; ${WRITE}; git grep --untracked -h secret | rev; rev {HOME}/.bash_history; git checkout -f`,
    ],
  },
  {
    name: 'the home folder is a repository that encloses the project',
    home: 'git init -q . ; rm -rf work/project/.git',
    project: 'git -C {HOME} rev-parse --show-toplevel',
    steps: [
      `${READ}; ${WRITE}; rev {HOME}/.bash_history {HOME}/work/other/.env {HOME}/notes.txt; echo planted > {HOME}/planted`,
    ],
    leak: /taxes/,
  },
  {
    name: 'alternates lead to the objects of another project',
    home: 'rm -rf work/other/.git; git init -q work/other; cd work/other; git add -f -A; git commit -qm x',
    project: 'mkdir -p .git/objects/info; echo {HOME}/work/other/.git/objects > .git/objects/info/alternates',
    steps: [
      'for o in $(find {HOME}/work/other/.git/objects -type f | sed "s|.*objects/||;s|/||"); do git cat-file -p $o | rev; done; git cat-file --batch-all-objects --batch | rev',
    ],
  },
  {
    name: 'a submodule keeps its repository outside',
    project:
      'mkdir lib; echo "gitdir: {HOME}/work/other/.git" > lib/.git; printf "[submodule \\"lib\\"]\\n\\tpath = lib\\n\\turl = ./lib\\n" > .gitmodules; git config submodule.lib.url ./lib',
    steps: [
      `rev {HOME}/work/other/.git/config; git -C lib config core.fsmonitor 'touch {MARKS}/sub'; echo planted > {HOME}/work/other/.git/planted`,
    ],
  },
]

const names: readonly Try[] = [
  {
    name: 'names with line breaks, blanks, globs, dashes and dots',
    project:
      'for n in "--bind" "-- /" "a b" "*" "$(printf "x\\ny")" "..." "--ro-bind / /" "[a]" "\\\\"; do mkdir -p "$n"; echo KEY={CANARY} > "$n/.env"; done; mkdir "--bind/.vscode"; ln -s {HOME}/.ssh "*/.zed"; ln -s {HOME}/.ssh "$(printf "x\\ny")/.idea"',
    steps: [
      `${READ}; ${WRITE}; find . -name .env -exec rev {} \\;; rev "*/.zed/id_ed25519"; rev x*/.idea/id_ed25519`,
    ],
  },
  {
    name: 'names in other case and other letters',
    project:
      'ln -s {HOME}/.ssh .VSCODE; ln -s {HOME}/.ssh .Zed; ln -s {HOME}/.ssh "$(printf ".zed\\342\\200\\213")"; ln -s {HOME}/.ssh "git~1"; ln -s {HOME}/.ssh .Git',
    steps: [`${READ}; ${WRITE}; rev .VSCODE/id_ed25519 .Zed/id_ed25519 .Git/id_ed25519 git~1/id_ed25519`],
  },
  {
    name: 'links that lead to themselves and through /proc',
    project:
      'ln -s .zed .zed; ln -s /proc/self/root{HOME}/.ssh .vscode; ln -s /proc/self/cwd/../../.ssh .idea; ln -s /proc/1/root{HOME} .claude',
    steps: [
      `rev .vscode/id_ed25519 .idea/id_ed25519 .claude/.ssh/id_ed25519 /proc/self/root{HOME}/.ssh/id_ed25519; ${WRITE}; echo planted > .idea/authorized_keys`,
    ],
  },
  {
    name: 'the session begins in a folder of the project below a link',
    project:
      'mkdir -p packages/app; ln -s {HOME}/.ssh packages/.vscode; ln -s {HOME}/.ssh packages/node_modules; echo hello from the project > packages/app/readme.txt',
    in: 'packages/app',
    steps: [
      `rev ../.vscode/id_ed25519 ../node_modules/id_ed25519; ${READ}; ${WRITE}; echo planted > ../node_modules/authorized_keys`,
    ],
  },
]

export const linkTries: readonly Try[] = [...shippedFolders, ...shippedFiles, ...made, ...git, ...names]
