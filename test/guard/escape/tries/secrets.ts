/** Class 13: git says inside what it says outside, and tells no secret. */
import type { Try } from '../try.ts'

const KEY = 'KEY={CANARY}'

export const secretTries: readonly Try[] = [
  {
    name: 'an untracked secret stays untracked, and unread',
    project: `echo ${KEY} > .env`,
    steps: [
      'rev .env; git diff --no-index /dev/null .env | rev; git grep --untracked -h . .env | rev; git hash-object -w .env | xargs git cat-file -p | rev',
    ],
    control: { run: 'git status --porcelain', expects: /^\?\? \.env$/m },
  },
  {
    name: 'an ignored secret stays ignored',
    project: `echo ${KEY} > .env; echo .env > .gitignore; git add .gitignore; git commit -qm ignore`,
    steps: [
      'rev .env; git stash -a 2>/dev/null; git stash show -p --include-untracked | rev; git show stash^3 | rev',
    ],
    control: { run: 'git status --porcelain; echo state=$?', expects: /^state=0$/m },
  },
  {
    name: 'a tracked secret is clean',
    project: `echo ${KEY} > .env; git add -f .env; git commit -qm env`,
    steps: ['rev .env'],
    control: { run: 'git status --porcelain; git diff --stat; echo state=$?', expects: /^(?:state=0\s*)+$/ },
  },
  {
    name: 'a tracked secret that the person changed is shown as changed',
    project: `echo KEY=old > .env; git add -f .env; git commit -qm env; echo ${KEY} > .env`,
    steps: ['git diff | rev; rev .env; git stash; git stash show -p | rev'],
    control: { run: 'git status --porcelain', expects: /^ M \.env$/m },
  },
  {
    name: 'a folder of secrets that git knows is neither read nor lost',
    project: `mkdir -p .aws/sso; echo ${KEY} > .aws/config; echo ${KEY} > .aws/sso/token.json; git add -f .aws; git commit -qm aws; echo b > b.txt`,
    steps: ['find .aws -type f -exec rev {} +; git add -A; git commit -qm all'],
    control: {
      run: 'git ls-files .aws b.txt; git status --porcelain; echo state=$?',
      expects: /^\.aws\/config\n\.aws\/sso\/token\.json\nb\.txt\nstate=0$/m,
    },
  },
  {
    name: 'everything is added and committed',
    project: `echo ${KEY} > .env; echo .env > .gitignore; git add .gitignore; git commit -qm i; echo b > b.txt`,
    steps: ['git add -A; git commit -qm all; git show HEAD | rev; git show HEAD:.env | rev; rev .env'],
    control: {
      run: 'git log -1 --format=%s; git status --porcelain; echo state=$?',
      expects: /all\nstate=0/,
    },
  },
  {
    name: 'everything is added with an untracked secret there',
    project: `echo ${KEY} > .env; echo b > b.txt`,
    steps: ['git add -A; echo added=$?; git show :.env | rev; git commit -qam all; git show HEAD:.env | rev'],
    control: { run: 'git log --format=%s -- b.txt', expects: /all/ },
  },
  {
    name: 'a secret is added by name',
    project: `echo ${KEY} > .env; echo ${KEY} > .env.local; echo {CANARY} > server.key`,
    steps: [
      'git add -f .env; git show :.env | rev; git add -f server.key .env.local; git cat-file -p :server.key | rev; git ls-files -s; git archive HEAD | rev',
    ],
    control: { run: 'git log -1 --format=%s', expects: /first/ },
  },
  {
    name: 'a secret in a subfolder and in a submodule',
    project: `mkdir -p app sub; echo ${KEY} > app/.env; git init -q sub; git -C sub commit -q --allow-empty -m x; echo ${KEY} > sub/.env`,
    steps: ['rev app/.env sub/.env; git -C sub add -f .env; git -C sub show :.env | rev'],
    control: { run: 'git -C sub status --porcelain; git status --porcelain', expects: /\.env|\?\? app\// },
  },
  {
    name: 'every program that reads',
    project: `echo ${KEY} > .env`,
    steps: [
      "rev .env; base64 .env; xxd -p .env; od -An -c .env; tac .env | rev; dd if=.env | rev; node -p \"require('fs').readFileSync('.env','hex')\"; python3 -c \"print(open('.env').read()[::-1])\"; cp .env x; rev x; ln .env y; rev y; tar cO .env | rev; mv .env z; rev z; sort .env | rev; while read l; do echo $l | rev; done < .env; . ./.env; echo $KEY | rev; set -a; source .env; env | rev; cat /proc/self/fd/3 3<.env | rev",
    ],
  },
]
