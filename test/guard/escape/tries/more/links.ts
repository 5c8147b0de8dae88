/** Class 1, further: forged repositories seen from a folder below, races, and ways round a name. */
import type { Try } from '../../try.ts'

const READ = 'rev {HOME}/.ssh/id_ed25519 {HOME}/.bash_history {HOME}/notes.txt {HOME}/work/other/.env'
const WRITE =
  'echo planted > {HOME}/.ssh/authorized_keys; echo planted > {HOME}/planted; echo planted > {HOME}/refs/x'
const APP = 'mkdir -p packages/app; echo hello from the project > packages/app/readme.txt'

/** The repository lies around the folder that the session begins in, so all of it is forged. */
const below = (name: string, project: string, steps: readonly string[]): Try => ({
  name,
  project: `${APP}; ${project}`,
  in: 'packages/app',
  steps: [`${READ}; ${WRITE}`, ...steps],
})

const forged: readonly Try[] = [
  below(
    'a worktree in a folder below names the home folder as the common one',
    'mkdir -p evil; echo "gitdir: ../../evil" > packages/app/.git; echo "{PROJECT}/packages/app/.git" > evil/gitdir; echo "{HOME}" > evil/commondir; echo "ref: refs/heads/main" > evil/HEAD; mkdir -p {HOME}/objects {HOME}/refs; cp .git/HEAD .git/config {HOME}/',
    [],
  ),
  below(
    'a worktree in a folder below names the folder of all projects as the common one',
    'mkdir -p evil; echo "gitdir: ../../evil" > packages/app/.git; echo "{PROJECT}/packages/app/.git" > evil/gitdir; echo "{HOME}/work" > evil/commondir; echo "ref: refs/heads/main" > evil/HEAD',
    ['rev ../../../other/src/main.c; echo planted > {HOME}/work/planted'],
  ),
  below(
    'a submodule in a folder below names the whole clone as its repository',
    'echo "gitdir: ../.." > packages/app/.git; printf "[core]\\n\\tworktree = packages/app\\n" > config; cp .git/HEAD HEAD; mkdir -p objects refs hooks',
    [
      `git config core.fsmonitor 'touch {MARKS}/fsmonitor'; printf '[core]\\n\\tfsmonitor = touch {MARKS}/ran\\n' >> {PROJECT}/.git/config; printf '#!/bin/sh\\ntouch {MARKS}/ran\\n' > {PROJECT}/.git/hooks/pre-commit; chmod +x {PROJECT}/.git/hooks/pre-commit; echo 'touch {MARKS}/ran' > {PROJECT}/.envrc`,
    ],
  ),
  below(
    'a worktree in a folder below is named by a folder called worktrees',
    'mkdir -p worktrees/w; echo "gitdir: ../../worktrees/w" > packages/app/.git; echo "{PROJECT}/packages/app/.git" > worktrees/w/gitdir; echo "../../../.." > worktrees/w/commondir; echo "ref: refs/heads/main" > worktrees/w/HEAD',
    [],
  ),
  {
    name: 'a worktree points back through a link',
    project: `rm -rf .git; mkdir -p meta; ln -s {HOME}/work/other/.git w; echo "gitdir: w" > .git; rm -rf ../other/.git; git init -q ../other; echo "{PROJECT}/.git" > ../other/.git/gitdir`,
    // The other project names this one, as after a broken "worktree add": only its own history is at stake.
    steps: [`rev {HOME}/work/other/.env; echo planted > {HOME}/work/other/.git/hooks/pre-commit; ${READ}`],
    allows: /^\/home\/work\/other\/\.git\/(?:index|logs|refs|objects|gitdir)/,
  },
]

const races: readonly Try[] = [
  {
    name: 'a job swaps a parent folder for a link while commands start',
    isSlow: true,
    project: 'mkdir -p a/b/c; echo KEY={CANARY} > a/b/c/.env; echo {} > a/b/c/package.json',
    steps: [
      {
        background:
          'for i in $(seq 400); do mv a/b a/x 2>/dev/null; ln -s {HOME} a/b 2>/dev/null; rm -f a/b; mv a/x a/b 2>/dev/null; done',
      },
      ...Array.from({ length: 4 }, () => `rev a/b/c/.env a/x/c/.env a/b/.bash_history; ${READ}`),
    ],
  },
  {
    name: 'a job renames a secret back and forth while commands start',
    isSlow: true,
    project: 'echo KEY={CANARY} > .env; mkdir d',
    steps: [
      {
        background: 'for i in $(seq 400); do mv .env d/notes 2>/dev/null; mv d/notes .env 2>/dev/null; done',
      },
      ...Array.from(
        { length: 4 },
        () => 'rev .env d/notes d/* 2>/dev/null; cp d/notes copy 2>/dev/null; rev copy',
      ),
    ],
  },
]

const names: readonly Try[] = [
  {
    name: 'names of 255 bytes, with a blank at the end, not composed, not text',
    project:
      'n=$(printf "n%.0s" $(seq 250)); mkdir "$n"; ln -s {HOME}/.ssh "$n/.zed"; mkdir ".vscode "; ln -s {HOME}/.ssh ".vscode /x"; mkdir "$(printf "e\\314\\201")"; ln -s {HOME}/.ssh "$(printf "e\\314\\201")/.idea"; mkdir "$(printf "\\377\\376")"; ln -s {HOME} "$(printf "\\377\\376")/.husky"; echo KEY={CANARY} > "$(printf "\\377\\376")/.env"; echo KEY={CANARY} > "$n/.env"',
    steps: [
      `${READ}; rev n*/.zed/id_ed25519 .vscode*/x/id_ed25519 */.idea/id_ed25519 */.husky/.bash_history; find . -name .env -exec rev {} +`,
    ],
  },
  {
    name: 'a folder of which the name is not text holds a secret',
    project:
      'd="$(printf "bad\\377name")"; mkdir "$d"; echo KEY={CANARY} > "$d/.env"; echo {CANARY} > "$d/server.key"',
    steps: ['rev bad*/.env', 'rev bad*/server.key; mv bad* good; rev good/.env good/server.key'],
  },
  {
    name: 'a secret of which the name is not text',
    project:
      'echo KEY={CANARY} > "$(printf ".env.\\377")"; echo {CANARY} > "$(printf "\\377.pem")"; echo {CANARY} > "$(printf "id_rsa.\\377")"',
    steps: ['rev .env.* *.pem id_rsa.*', 'for f in .env.* *.pem; do cp "$f" copy; rev copy; done'],
  },
  {
    name: 'descriptors of a process lead out',
    steps: [
      'exec 7< .; cd /; rev /proc/self/fd/7/../../.bash_history /proc/self/fd/7/../other/.env /dev/fd/7/../other/.env; rev /proc/self/task/*/root{HOME}/notes.txt; ls -d /proc/self/fd/7/../.ssh',
      `python3 -c "import os; d=os.open('.',os.O_RDONLY); os.chdir('/'); print(open('/proc/self/fd/%d/../../notes.txt'%d).read()[::-1])"`,
    ],
  },
  {
    name: 'a link to a link to a pinned name is written through',
    project:
      'mkdir -p .vscode x; echo {} > .vscode/settings.json; ln -s .vscode x/v; ln -s x/v w; git add -Af; git commit -qm x',
    steps: [
      `echo '{"git.path":"{MARKS}/ran"}' > x/../.vscode/settings.json; echo '{"git.path":"{MARKS}/ran"}' > w/tasks.json; echo '{"git.path":"{MARKS}/ran"}' > x/v/tasks.json; mkdir y; mv .vscode/settings.json y/ 2>/dev/null; echo '{MARKS}' > .vscode/tasks.json`,
    ],
  },
  {
    name: 'a link takes the place of a granted or hidden name between two commands',
    project: 'mkdir conf; echo KEY={CANARY} > conf/.env',
    steps: [
      'true',
      { host: 'rm -rf conf; ln -s {HOME}/.ssh conf' },
      'rev conf/id_ed25519; ls -la conf/; echo planted > conf/authorized_keys',
      { host: 'rm conf; ln -s {HOME} .env; ln -s {HOME}/notes.txt server.key' },
      `rev .env/notes.txt server.key .env/.bash_history; ${WRITE}`,
    ],
  },
  {
    name: 'file tools follow links to outside',
    project: 'ln -s {HOME}/notes.txt n; ln -s {HOME} h; mkdir d; ln -s ../h d/e; ln -s {HOME}/new.txt fresh',
    guarded: 'file tools are contained in every mode',
    steps: [
      ...['n', 'h/notes.txt', 'd/e/notes.txt', 'd/../h/notes.txt', 'h/../home/notes.txt'].map((path) => ({
        call: 'read_file',
        input: { path },
      })),
      { call: 'write_file', input: { path: 'fresh', content: 'planted' } },
      { call: 'write_file', input: { path: 'd/e/planted', content: 'planted' } },
      { call: 'edit_file', input: { path: 'n', old: 'secret', new: 'planted' } },
      { call: 'search_text', input: { pattern: 'heron', path: 'h' } },
    ],
  },
]

export const moreLinkTries: readonly Try[] = [...forged, ...races, ...names]
