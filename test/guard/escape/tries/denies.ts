/** Class 6: what a rule denies is denied under every spelling, for every program and every tool. */
import type { Try } from '../try.ts'

const rule = (pattern: string, tool = '*'): string =>
  `[[permission.rules]]\ntool = "${tool}"\npattern = "${pattern}"\nverdict = "deny"\n`

const SECRET = 'mkdir secret; echo {CANARY} > secret/x; git add -A; git commit -qm secret'

const COMMANDS: Readonly<Record<string, string>> = {
  'a dot in front': 'rev ./secret/x',
  'a way round': 'rev src/../secret/x secret/../secret/x',
  'the absolute path': 'rev {PROJECT}/secret/x',
  'doubled slashes and dots': 'rev secret//x .//secret/./x',
  'a glob': 'rev s*/x se?ret/x */x',
  'braces and quotes': `rev {secret,}/x; rev s"ecre"t/x 'secret'/x`,
  'a change of folder': 'cd secret && rev x',
  'a change of folder in a subshell': '(cd secret; rev *); pushd secret; rev x',
  'a recursive search': 'grep -rh . . | rev',
  'a search by ripgrep': 'rg --no-ignore quill . | rev; rg -uuu -I quill | rev',
  'find and exec': 'find . -type f -exec rev {} +',
  'an archive': 'tar cO . | rev; cp -r . /tmp/all; rev /tmp/all/secret/x',
  'a link': 'ln -s secret s2; rev s2/x; ln secret/x hard; rev hard',
  'a move': 'mv secret s2; rev s2/x',
  'a variable': 'd=secret; rev $d/x; rev "${d}/x"',
  'an interpreter': `python3 -c 'print(open("sec"+"ret/x").read()[::-1])'; node -p 'require("fs").readFileSync("sec"+"ret/x","utf8").split("").reverse().join("")'`,
  'a script': `printf 'rev secret/x\\n' > s.sh; sh s.sh`,
  'the object of a commit': 'git show HEAD:secret/x | rev; git cat-file -p HEAD:./secret/x | rev',
  'the log with patches': 'git log -p | rev; git diff 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD | rev',
  'every object':
    'git cat-file --batch-all-objects --batch | rev; git archive HEAD | rev; git grep -h . HEAD | rev',
  'another checkout':
    'git worktree add -q /tmp/w HEAD; rev /tmp/w/secret/x; git clone -q . c2; rev c2/secret/x; git checkout-index -a --prefix=out/; rev out/secret/x',
  'the current folder of a process': 'rev /proc/self/cwd/secret/x /proc/self/root{PROJECT}/secret/x',
}

const paths: readonly Try[] = Object.entries(COMMANDS).map(([name, command]) => ({
  name: `a denied folder is read by ${name}`,
  mode: 'auto',
  project: SECRET,
  config: rule('secret/**'),
  ...(name === 'a search by ripgrep' && { needs: ['rg'] }),
  steps: [command, ...(command.includes('; ') && !/[({$]/.test(command) ? command.split('; ') : [])],
}))

const more: readonly Try[] = [
  {
    name: 'a denied folder is read in the default mode',
    mode: 'ask',
    project: SECRET,
    config: rule('secret/**'),
    steps: [
      'rev ./secret/x',
      'rev src/../secret/x',
      'rev {PROJECT}/secret/x',
      'rev s*/x',
      'grep -rh . .',
      'cd secret && rev x',
      'git show HEAD:secret/x',
    ],
  },
  {
    name: 'a denied folder is read by the file tools',
    project: SECRET,
    config: rule('secret/**'),
    steps: [
      ...['secret/x', './secret/x', 'src/../secret/x', '{PROJECT}/secret/x', 'secret//x', 'secret/./x'].map(
        (path) => ({ call: 'read_file', input: { path } }),
      ),
      { call: 'search_text', input: { pattern: 'heron' } },
      { call: 'search_text', input: { pattern: 'heron', path: 'secret' } },
      { call: 'python', input: { code: 'print(open("secret/x").read()[::-1])' } },
      { call: 'data_view', input: { path: './secret/x' } },
    ],
  },
  {
    name: 'a denied folder is written',
    project: SECRET,
    config: rule('secret/**'),
    steps: [
      'echo x > ./secret/new',
      'cd secret && echo x > new',
      `sh -c 'echo x > s*/new'`,
      'mkdir -p secret/new',
      { call: 'write_file', input: { path: 'src/../secret/new', content: 'x' } },
    ],
    absent: ['secret/new'],
  },
  {
    name: 'a denied file of one name',
    project: 'echo {CANARY} > keys.txt; mkdir deep; echo {CANARY} > deep/keys.txt',
    config: rule('**/keys.txt') + rule('keys.txt'),
    steps: [
      'rev ./keys.txt keys.*',
      'rev deep/keys.txt',
      'find . -name "k*" -exec rev {} +',
      'cp -r deep d2; rev d2/*',
    ],
  },
  {
    name: 'a denied folder by its absolute path',
    project: SECRET,
    config: rule('{PROJECT}/secret/**'),
    steps: [
      'rev secret/x',
      'rev ./secret/x',
      'cd secret; rev x',
      { call: 'read_file', input: { path: 'secret/x' } },
    ],
  },
  {
    name: 'a denied folder without stars, with a slash, for one tool',
    project: SECRET,
    config: rule('secret/') + rule('secret') + rule('secret/**', 'run_command'),
    steps: ['rev ./secret/x', 'rev secret/x', 'cd secret && rev x'],
  },
  {
    name: 'a denied folder that the person makes later',
    config: rule('secret/**'),
    steps: ['true', { host: 'mkdir secret; echo {CANARY} > secret/x' }, 'rev ./secret/x; cd secret; rev x'],
  },
  {
    name: 'a denied folder behind a link of the project',
    project: `${SECRET}; ln -s secret open; ln -s ../secret/x src/x`,
    config: rule('secret/**'),
    steps: ['rev open/x', 'rev src/x', 'cd open && rev x', { call: 'read_file', input: { path: 'open/x' } }],
  },
  {
    name: 'a denied folder is moved along with the one above it',
    project: 'mkdir -p a/secret; echo {CANARY} > a/secret/x; echo {CANARY} > a/keys.txt',
    config: rule('a/secret/**') + rule('a/keys.txt'),
    steps: [
      'mv a a2',
      'rev a2/secret/x a2/keys.txt',
      'mv a2 b; mkdir c; mv b c/d',
      'rev c/d/secret/x c/d/keys.txt',
    ],
  },
  {
    name: 'a denied folder outside the project',
    config: rule('{OUTSIDE}/**'),
    steps: ['rev {OUTSIDE}/file.txt', 'cd {OUTSIDE}; rev file.txt'],
  },
  {
    name: 'a denied command in another spelling',
    config: rule('touch', 'run_command'),
    steps: [
      'touch ran',
      'command touch ran',
      '\\touch ran',
      '/usr/bin/touch ran',
      `t'ou'ch ran`,
      'env touch ran',
      'X=1 touch ran',
      'true && touch ran',
      '(touch ran)',
      'timeout 5 touch ran',
      'nice -n 5 touch ran',
    ],
    absent: ['ran'],
  },
  {
    name: 'a denied command inside a shell',
    config: rule('touch', 'run_command'),
    steps: [
      `sh -c 'touch ran'`,
      `bash -c "touch ran"`,
      `bash <<< 'touch ran'`,
      'sh <<EOF\ntouch ran\nEOF',
      `echo 'touch ran' | sh`,
      `eval 'touch ran'`,
      `printf 'all:\\n\\ttouch ran\\n' | make -f -`,
      `make -f - <<< $'all:\\n\\ttouch ran'`,
      'echo ran | xargs touch',
      'find . -maxdepth 0 -exec touch ran \\;',
      `bash -c 'bash -c "touch ran"'`,
      '$(echo touch) ran',
      'x=touch; $x ran',
      `source <(echo 'touch ran')`,
    ],
    absent: ['ran'],
    needs: ['make'],
  },
  {
    name: 'a denied command is git push, and the remote is a folder',
    project: 'git init -q --bare remote.git; git remote add origin ./remote.git',
    config: rule('git push', 'run_command'),
    steps: [
      'git push origin main',
      `sh -c 'git push origin main'`,
      'git -C . push origin main',
      `git -c alias.p='push' p origin main`,
      `bash <<< 'git push origin main'`,
    ],
    absent: ['remote.git/refs/heads/main'],
  },
]

export const denyTries: readonly Try[] = [...paths, ...more]
