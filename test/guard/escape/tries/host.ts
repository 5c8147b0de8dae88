/** Class 16: the same over HTTP, as a client of a tool host does: only the workspace and the system are there. */
import { CONTAINED, OWN, type Try } from '../try.ts'

const rev = (...files: readonly string[]): string => `rev ${files.join(' ')}`

export const hostTries: readonly Try[] = [
  {
    name: 'a client reads the home folder of the host',
    steps: [
      rev('{HOME}/.bash_history', '{HOME}/.ssh/id_ed25519', '{HOME}/notes.txt'),
      'cat {HOME}/.ollama/history | base64',
    ],
  },
  {
    name: 'a client reads the home folder in the default mode',
    mode: 'ask',
    steps: [rev('{HOME}/.bash_history'), rev('{HOME}/notes.txt'), 'grep -rh . {HOME}'],
  },
  {
    name: 'a client lists the home folder of the host',
    mode: 'ask',
    steps: ['ls -aR {HOME}/.ssh {HOME}/Documents', 'find {HOME} -name "*taxes*"'],
    leak: /id_ed25519$|^taxes|taxes\.txt$/m,
  },
  {
    name: 'a client reads other workspaces',
    config: `[tool_host.workspaces]\nmain = "{PROJECT}"\nother = "{HOME}/work/other"\n`,
    steps: [rev('{HOME}/work/other/.env', '{HOME}/work/other/src/main.c', '../other/src/main.c')],
  },
  {
    name: 'a client reads the environment of the host',
    env: { HOUSE_NOTE: 'heronquillmarsh', MY_SETTING: 'heronquillmarsh' },
    steps: [
      'env | rev',
      'rev /proc/self/environ',
      'for p in /proc/[0-9]*; do rev $p/environ; done',
      'node -p "JSON.stringify(process.env)" | rev',
    ],
    guarded: 'the environment is an allow-list in every mode',
  },
  {
    name: 'a client reads masked values in another spelling',
    project: 'echo KEY={CANARY} > .env; echo {CANARY} > server.pem',
    steps: [rev('.env', 'server.pem'), 'base64 .env', 'xxd -p server.pem', 'cp .env x; rev x'],
  },
  {
    name: 'a client reads by file tools',
    steps: [
      { call: 'read_file', input: { path: '{HOME}/.bash_history' } },
      { call: 'read_file', input: { path: '../other/.env' } },
      { call: 'search_text', input: { pattern: 'heron', path: '{HOME}' } },
      { call: 'list_files', input: { path: '../..' } },
    ],
    guarded: CONTAINED,
  },
  {
    name: 'a client follows links of the workspace',
    project: 'ln -s {HOME} h; ln -s {HOME}/.ssh .zed; ln -s {HOME}/.ssh .git/modules',
    steps: [
      rev('h/.bash_history', '.zed/id_ed25519', '.git/modules/id_ed25519', '{HOME}/.ssh/id_ed25519'),
      'echo planted > .zed/authorized_keys',
      { call: 'read_file', input: { path: 'h/.bash_history' } },
    ],
  },
  {
    name: 'a client enters sockets of the host',
    steps: [
      `node -e "for (const p of [{path:'{HOME}/.tmux.sock'},{path:'{OUTSIDE}/docker.sock'},{path:'\\0covey-escape-{ID}'},{port:{PORT}}]) require('net').connect(p).on('data',d=>console.log(String(d))).on('error',()=>{})"`,
    ],
    needs: ['node'],
  },
  {
    name: 'a client writes outside the workspace',
    steps: [
      'echo x > {HOME}/planted; echo x > {OUTSIDE}/planted; echo x >> {HOME}/.bashrc; echo x > ../planted; touch /var/tmp/mark-{ID} /dev/shm/mark-{ID} /tmp/mark-{ID}',
    ],
  },
  {
    name: 'a client plants what runs later',
    steps: [
      `git init -q lib; git -C lib config core.fsmonitor 'touch {MARKS}/ran'; git add lib`,
      `echo 'touch {MARKS}/ran' > .envrc`,
      `printf '#!/bin/sh\\ntouch {MARKS}/ran\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
    ],
  },
  {
    name: 'a client reads and ends processes of the host',
    steps: ['rev /proc/{VICTIM}/environ; kill -9 {VICTIM}; ps aux | grep -c "sleep 3600"'],
    guarded: 'it would end a process of the tests',
  },
  {
    name: 'a client reads the keys and tokens of the host',
    steps: [
      rev('{HOME}/.config/covey/note.txt', '{HOME}/.local/share/covey/keys/note'),
      'ls {HOME}/.local/share/covey | sed "s/^/FOUND /"',
    ],
    leak: /FOUND \w/,
    guarded: OWN,
  },
  {
    name: 'a client of a host that only reads writes',
    mode: 'read-only',
    project: 'printf "a\\n" > d1; printf "b\\n" > d2',
    steps: [
      'uniq d1 d2',
      'touch ran',
      `awk 'BEGIN { system("touch ran") }'`,
      { call: 'write_file', input: { path: 'ran', content: 'x' } },
    ],
  },
]
