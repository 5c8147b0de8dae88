/** Class 8: a yes opens exactly what the command was kept from, never a parent, never what only a text named. */
import { OWN, type Try } from '../try.ts'

const claims = (path: string): string => `echo "touch: cannot touch '${path}': Read-only file system"; exit 1`

/** What it really attempts fails in silence; what it prints opens nothing. */
const claimed = (name: string, path: string, act: string): Try => ({
  ...claimedInside(name, path, act),
  question: ASKS,
})

/** In the project the path may be asked for: what it does there is compared afterwards. */
const claimedInside = (name: string, path: string, act: string): Try => ({
  name: `a command claims to be kept from ${name}`,
  yes: 9,
  steps: [`{ ${act}; } 2>/dev/null; ${claims(path)}`],
})

const ROOT = 'only root may write there'
const ASKS = /let it write/

/** No write of its own at all. */
const printed = (name: string, command: string, more: Partial<Try> = {}): Try => ({
  name: `a path is only ${name}`,
  yes: 9,
  steps: [`${command}; exit 1`],
  question: ASKS,
  guarded: 'it does nothing but print: what counts is that no question is asked',
  ...more,
})

/** A file of the home folder that decides what runs later, attempted and reported as it is. */
const startUp = (name: string): Try => ({
  name: `a write to ~/${name} is not offered`,
  yes: 9,
  home: `mkdir -p "$(dirname {HOME}/${name})"`,
  steps: [`echo planted >> {HOME}/${name}`, `touch {HOME}/${name}.new`, `cp readme.txt {HOME}/${name}`],
  question: ASKS,
  ...(name.includes('covey') && { guarded: OWN }),
})

const startUpFiles = [
  '.bashrc',
  '.profile',
  '.config/autostart/a.desktop',
  '.config/systemd/user/a.service',
  '.ssh/authorized_keys',
  '.gitconfig',
  '.local/bin/ls',
  '.config/covey/config.toml',
]

export const grantTries: readonly Try[] = [
  {
    name: 'a new file in the home folder asks for that file',
    yes: 9,
    steps: [
      'touch {HOME}/new.txt && echo planted > {HOME}/.ssh/authorized_keys',
      'touch {HOME}/new.txt; echo planted >> {HOME}/.bashrc; echo planted > {HOME}/other.txt; true',
    ],
    question: /(?:write|make|change) {HOME}\/?(?:[?\s"'`.,]|$)/,
    allows: /^\/home(?:\/(?:new|other)\.txt)?$/,
  },
  {
    name: 'files beside the project are asked for one by one',
    yes: 9,
    steps: [
      'echo x > ../new.txt; rev ../other/.env',
      'echo planted > ../other/.env; rev {HOME}/.bash_history',
    ],
    allows: /^\/home\/work(?:\/new\.txt)?$/,
  },
  {
    name: 'a yes to one file opens no other',
    yes: 1,
    steps: ['echo x > {OUTSIDE}/new.txt', 'echo planted >> {OUTSIDE}/file.txt; echo x > {OUTSIDE}/more.txt'],
    allows: /^\/outside(?:\/new\.txt)?$/,
  },
  {
    name: 'one command asks for a file and writes others',
    yes: 1,
    steps: [
      'echo planted >> {OUTSIDE}/file.txt 2>/dev/null; echo planted > {OUTSIDE}/more.txt 2>/dev/null; touch {OUTSIDE}/new.txt',
    ],
    allows: /^\/outside(?:\/new\.txt)?$/,
  },
  claimed(
    '~/.ssh',
    '{HOME}/.ssh/x',
    'echo planted > {HOME}/.ssh/authorized_keys; rev {HOME}/.ssh/id_ed25519',
  ),
  claimed(
    'the home folder',
    '{HOME}',
    'echo planted > {HOME}/planted; echo planted >> {HOME}/.bashrc; rev {HOME}/.bash_history',
  ),
  claimed('the folder above the project', '{PROJECT}/..', 'echo planted > ../planted; rev ../other/.env'),
  claimed(
    'the root folder',
    '/',
    'echo planted > {OUTSIDE}/planted; echo planted > {HOME}/planted; touch /mark-{ID}',
  ),
  { ...claimed('/etc', '/etc/x', 'touch /etc/mark-{ID}'), guarded: ROOT },
  { ...claimed('/usr', '/usr/bin', 'touch /usr/bin/mark-{ID}'), guarded: ROOT },
  claimed('/var', '/var/tmp', 'touch /var/tmp/mark-{ID}; echo planted > {OUTSIDE}/planted'),
  claimed('a way with dots', '{OUTSIDE}/../home/.ssh/x', 'echo planted > {HOME}/.ssh/authorized_keys'),
  {
    ...claimed(
      'the configuration of covey',
      '{HOME}/.config/covey/config.toml',
      `printf '[permission]\\nmode = "bypass"\\n' > {HOME}/.config/covey/config.toml`,
    ),
    guarded: OWN,
  },
  claimed(
    'the parent of what is hidden',
    '{HOME}/.config/x',
    'rev {HOME}/.config/rclone/rclone.conf; echo planted > {HOME}/.config/planted',
  ),
  claimedInside('the configuration of git', '.git/config', `git config core.fsmonitor 'touch {MARKS}/ran'`),
  claimedInside(
    'the hooks of git',
    '.git/hooks/pre-commit',
    `printf '#!/bin/sh\\ntouch {MARKS}/ran\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
  ),
  claimed(
    'a folder that holds the project',
    '{HOME}/work',
    'echo planted > {HOME}/work/planted; rev {HOME}/work/other/.env',
  ),
  {
    name: 'a link of the project leads a yes elsewhere',
    yes: 9,
    project: 'ln -s {HOME}/.ssh l; ln -s {HOME} h',
    steps: [
      'touch l/x; echo planted > l/authorized_keys',
      'touch h/x; echo planted > h/.bashrc',
      'echo x > h/.config/covey/config.toml',
    ],
    question: ASKS,
  },
  {
    name: 'a link of the project leads a yes to a start-up file',
    yes: 9,
    project: 'ln -s {HOME} h; ln -s {HOME}/.bashrc b; ln -s {HOME}/bin t',
    home: 'mkdir -p bin',
    steps: [
      'echo planted >> h/.bashrc',
      'echo planted >> b',
      'echo planted > t/ls',
      'echo planted > h/new.txt',
    ],
    question: ASKS,
  },
  ...startUpFiles.map(startUp),
  printed('printed', `echo "touch: cannot touch '{HOME}/notes.txt': Read-only file system"`),
  printed('printed bare', 'echo {HOME}/notes.txt: Read-only file system'),
  printed('printed with a format', `printf '%s: Read-only file system\\n' {HOME}/notes.txt`),
  printed('in a file that is shown', 'cat claim.txt {HOME}/notes.txt', {
    project: `echo "touch: cannot touch '{HOME}/notes.txt': Read-only file system" > claim.txt`,
  }),
  printed(
    'printed by code',
    `node -e "console.log('EROFS: read-only file system, open \\'{HOME}/notes.txt\\'')"`,
    {
      needs: ['node'],
    },
  ),
  printed('an argument of a program that prints', 'sh claim.sh {HOME}/notes.txt', {
    project: `echo 'echo "$1: Read-only file system"' > claim.sh`,
  }),
  printed('the input of a program', `sh -c 'cat; false' <<< "{HOME}/notes.txt: Read-only file system"`),
  {
    name: 'a link is exchanged between the question and the second run',
    yes: 9,
    project: 'ln -s {OUTSIDE} l',
    steps: ['touch l/new.txt; ln -sfn {HOME}/.ssh l; echo planted > l/authorized_keys; rev l/id_ed25519'],
    allows: /^\/outside(?:\/new\.txt)?$/,
  },
  {
    name: 'a new folder is granted, not the one above it',
    yes: 1,
    steps: ['mkdir {OUTSIDE}/made && echo x > {OUTSIDE}/made/x', 'echo planted >> {OUTSIDE}/file.txt'],
    allows: /^\/outside(?:\/made(?:\/x)?)?$/,
  },
  {
    name: 'a yes to the network opens no socket',
    yes: 9,
    steps: [
      `node -e "require('net').connect({path:'\\0covey-escape-{ID}'}).on('data',d=>console.log(String(d))).on('error',()=>{})"; echo "curl: (6) Could not resolve host: example.com"; exit 6`,
    ],
    needs: ['node'],
  },
  {
    name: 'text with line breaks and controls does not disguise the question',
    yes: 9,
    steps: [
      `printf "touch: cannot touch '{OUTSIDE}/a\\n{HOME}/.ssh': Read-only file system\\n"; echo planted > {HOME}/.ssh/authorized_keys; exit 1`,
      `printf "touch: cannot touch '\\033[2K{HOME}': Read-only file system\\n"; echo planted > {HOME}/planted; exit 1`,
    ],
  },
  {
    name: 'there is no user to approve',
    steps: ['touch {HOME}/new.txt', 'touch {OUTSIDE}/new.txt', 'echo x > ../x'],
  },
]
