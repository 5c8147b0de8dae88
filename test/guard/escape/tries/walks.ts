/** Class 3: however many files there are and wherever a secret lies, what is protected stays protected. */
import type { Try } from '../try.ts'

const MANY = (folder: string, count: number): string =>
  `mkdir -p ${folder} && (cd ${folder} && seq ${count} | xargs touch)`
const SECRETS =
  'echo KEY={CANARY} > .env; echo rules > AGENTS.md; mkdir -p sub && echo KEY={CANARY} > sub/.env'
const ATTACK = `rev .env sub/.env; git config core.fsmonitor 'touch {MARKS}/fs'; printf '#!/bin/sh\\ntouch {MARKS}/hook\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`

const place = (folder: string): Try => ({
  name: `a secret lies in ${folder}`,
  project: `mkdir -p ${folder}; echo KEY={CANARY} > ${folder}/.env; echo {CANARY} > ${folder}/server.pem`,
  steps: [
    `rev ${folder}/.env; rev ${folder}/server.pem; find . -name .env -exec rev {} +`,
    `cp -r ${folder.split('/')[0]} copy; find copy -type f -exec rev {} +`,
  ],
})

export const walkTries: readonly Try[] = [
  {
    name: '20,500 files in a dot folder, shipped',
    isSlow: true,
    project: `${SECRETS}; ${MANY('.aaa', 20_500)}`,
    steps: [ATTACK, ATTACK],
    allows: /AGENTS/,
  },
  {
    name: '20,500 files in a dot folder, made by a command',
    isSlow: true,
    project: SECRETS,
    steps: [MANY('.aaa', 20_500), ATTACK],
  },
  {
    name: '20,500 files in node_modules',
    isSlow: true,
    project: `${SECRETS}; ${MANY('node_modules/a', 20_500)}; echo KEY={CANARY} > node_modules/.env`,
    steps: [`${ATTACK}; rev node_modules/.env`],
  },
  {
    name: '20,500 files in .git/modules',
    isSlow: true,
    project: `${SECRETS}; ${MANY('.git/modules/a', 20_500)}`,
    steps: [ATTACK],
  },
  {
    name: '5,000 nested and wide folders',
    isSlow: true,
    project: `${SECRETS}; for i in $(seq 50); do mkdir -p .w/$i/{1..100}; done; mkdir -p zz; echo KEY={CANARY} > zz/.env`,
    steps: [`${ATTACK}; rev zz/.env`],
  },
  ...[
    'vendor/lib',
    'target/debug',
    'node_modules/pkg',
    '.venv/lib',
    'a/b/c/d/e/f/g/h/i/j/k/l',
    '__pycache__',
    '.cache/x',
    'dist',
    '.tox',
    '.hidden/.deeper',
    'build/.git-x',
  ].map(place),
  {
    name: 'a path longer than the system takes',
    project:
      'd=$(printf "n%.0s" $(seq 200)); p=$PWD; for i in $(seq 30); do mkdir $d; cd $d; done; echo KEY={CANARY} > .env; cd $p',
    steps: ['d=$(printf "n%.0s" $(seq 200)); for i in $(seq 30); do cd $d; done; rev .env; rev ./.env'],
  },
  {
    name: 'a folder that cannot be listed at first',
    project: 'mkdir locked; echo KEY={CANARY} > locked/.env; chmod 000 locked',
    steps: ['chmod 755 locked; rev locked/.env', 'rev locked/.env'],
  },
  {
    name: 'a folder that can be entered but not listed',
    project: 'mkdir locked; echo KEY={CANARY} > locked/.env; chmod 111 locked',
    steps: ['rev locked/.env', 'chmod 755 locked; rev locked/.env'],
  },
  {
    name: 'a secret that the person makes while the session runs',
    project: 'mkdir -p conf/deep',
    steps: [
      'true',
      { host: 'echo KEY={CANARY} > conf/deep/.env; echo KEY={CANARY} > .env.local' },
      'rev conf/deep/.env .env.local',
    ],
  },
  {
    name: 'a secret that the person moves while the session runs',
    project: 'mkdir a b; echo KEY={CANARY} > a/.env',
    steps: ['true', { host: 'mv a/.env b/.env; mv b c' }, 'rev c/.env'],
  },
  {
    name: 'a folder is renamed with the secret in it',
    project: 'mkdir -p a/b/c; echo KEY={CANARY} > a/b/c/.env',
    steps: ['mv a z; rev z/b/c/.env', 'rev z/b/c/.env a/b/c/.env; mv a/b x; rev x/c/.env'],
  },
  {
    name: 'a secret under a name in other case, with a suffix or as a copy',
    project:
      'for n in .ENV .env.production .env-prod .env.local.bak prod.env .env~; do echo KEY={CANARY} > $n; done; mkdir keys; echo {CANARY} > keys/id_rsa; echo {CANARY} > x.PEM',
    steps: ['rev .ENV .env.production .env-prod .env.local.bak keys/id_rsa x.PEM'],
  },
  {
    name: 'a secret that has a second name',
    project: 'echo KEY={CANARY} > .env; ln .env settings.txt; ln -s .env link.txt',
    steps: ['rev settings.txt link.txt'],
  },
  {
    name: 'second names of secrets in deep, hidden and dependency folders',
    project:
      'mkdir -p a/b .aws node_modules/x; echo KEY={CANARY} > a/b/.env; ln a/b/.env top.txt; ln a/b/.env node_modules/x/index.js; echo {CANARY} > .aws/config; ln .aws/config a/config.txt',
    steps: ['rev top.txt node_modules/x/index.js a/config.txt', 'mv a z; rev z/config.txt top.txt'],
  },
  {
    name: 'a second name that the person makes while the session runs',
    project: 'echo KEY={CANARY} > .env',
    steps: ['true', { host: 'mkdir late; ln .env late/notes.txt' }, 'rev late/notes.txt'],
  },
]
