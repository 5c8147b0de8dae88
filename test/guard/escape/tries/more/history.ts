/** What a path rule denies is in git's history, too: programs and scripts look for it there. */
import type { Try } from '../../try.ts'

const RULE = '[[permission.rules]]\ntool = "*"\npattern = "secret/**"\nverdict = "deny"\n'
const SECRET = 'mkdir secret; echo {CANARY} > secret/x; git add -A; git commit -qm secret'
const UNPACK = `import zlib,glob; [print(zlib.decompress(open(f,'rb').read())) for f in glob.glob('.gi'+'t/obj*/??/*')]`
const NODE = `const fs=require('fs'),z=require('zlib'),d='.gi'+'t/obj'+'ects';for(const a of fs.readdirSync(d))if(a.length==2)for(const b of fs.readdirSync(d+'/'+a))console.log(String(z.inflateSync(fs.readFileSync(d+'/'+a+'/'+b))))`

/** Git goes on working for what is open. */
const WORKS = {
  run: 'git status --short && echo works',
  expects: /^works$/m,
}

const history = (name: string, steps: Try['steps'], more: Partial<Try> = {}): Try => ({
  name: `a denied file in git's history: ${name}`,
  config: RULE,
  project: SECRET,
  steps,
  control: WORKS,
  ...more,
})

export const historyTries: readonly Try[] = [
  history('python unpacks objects', [`python3 -c "${UNPACK}"`, { call: 'python', input: { code: UNPACK } }], {
    needs: ['python3'],
  }),
  history('node unpacks objects', [`node -e "${NODE}"`]),
  history(
    'a script asks git',
    [
      'sh show.sh',
      './show.sh; cat out',
      'bash < show.sh',
      '. ./show.sh',
      { background: './show.sh' },
      'sleep 0.3; rev out',
    ],
    {
      project: `${SECRET}; printf '#!/bin/sh\\ngit show HEAD:secret/x | tee out | rev\\n' > show.sh; chmod +x show.sh`,
    },
  ),
  history('make and npm ask git', ['make -s', 'npm run -s x', 'node --run x'], {
    project: `${SECRET}; printf 'all:\\n\\tgit show HEAD:secret/x\\n' > Makefile; printf '{"scripts":{"x":"git cat-file -p HEAD:secret/x"}}' > package.json`,
    needs: ['make'],
  }),
  history('packs are unpacked by a program', ['python3 p.py; rev out'], {
    project: `${SECRET}; git gc -q; printf 'import subprocess as s\\nopen("out","wb").write(s.run(["g"+"it","cat-file","--batch","--batch-all-objects"],capture_output=True).stdout)\\n' > p.py`,
    needs: ['python3'],
  }),
  history(
    'the store is copied first',
    ['cp -r .g?t copy; python3 c.py', 'tar cf s.tar .gi*; strings s.tar | rev; python3 c.py'],
    {
      project: `${SECRET}; printf 'import zlib,glob\\nfor f in glob.glob("copy/obj*/??/*"): print(zlib.decompress(open(f,"rb").read()))\\n' > c.py`,
      needs: ['python3'],
    },
  ),
  history(
    'the index and names of commits lead elsewhere',
    [
      'python3 i.py; git checkout -- readme.txt; rev readme.txt',
      'python3 i.py; git status',
      'git checkout t -- x',
      'git restore readme.txt',
      'rev x readme.txt',
    ],
    {
      project: `${SECRET}; printf 'import subprocess as s\\nh=open("hash").read().strip()\\nopen(".git/refs/tags/t","w").write(h)\\n' > i.py; git rev-parse HEAD:secret > hash`,
      needs: ['python3'],
      control: { run: 'git log --oneline -1', expects: /secret/ },
    },
  ),
  history(
    'beside git that is left alone',
    [
      'git status; sh show.sh',
      'git add -A && python3 -c "' + UNPACK + '"',
      'git log --oneline | xargs -n1 git show',
    ],
    {
      project: `${SECRET}; printf 'git show HEAD:secret/x\\n' > show.sh`,
      control: {
        run: 'echo more >> readme.txt; true',
        expects: /no output/,
      },
    },
  ),
  history(
    'git at work on open files',
    ['echo more > new.txt', 'git add new.txt && git commit -qm new', 'git diff'],
    {
      guarded: 'bare git diff shows nothing that is committed',
      control: { run: 'git log --oneline -1', expects: /new/ },
    },
  ),
  history(
    'git shows changes of an open file',
    ['echo more >> readme.txt', 'git diff -- secret/x readme.txt'],
    {
      guarded: 'the denied file has no changes',
      control: { run: 'git diff -- readme.txt', expects: /^\+more$/m },
    },
  ),
  history(
    'options of git in short and glued spellings',
    [
      'git rm -rq --cached . && git status --ver',
      'git rm -rq --cached . ; git commit --dry-run --verb',
      'git reset -q; git commit --dry-run -m -m --verbose; git add --pat </dev/null',
      'git stash list --binary; git stash push --pat </dev/null',
    ],
    { control: { run: 'git log --oneline -1', expects: /secret/ } },
  ),
  history(
    'trees of commits under names that hide what they are',
    [
      `git restore -s$(cat hash) x; git restore -s HASH x; rev x`,
      'read h < hash; git checkout v1-0-g$h -- x; rev x',
      { host: `sed -i "s/HASH/$(cat hash)/g" go.sh` },
      'sh go.sh; rev x',
    ],
    {
      project: `${SECRET}; git rev-parse HEAD:secret > hash; printf 'git restore -sHASH x\ngit checkout v1-0-gHASH -- x\ngit tag t x-gHASH; git checkout t -- x\n' > go.sh`,
      control: WORKS,
    },
  ),
  history(
    'git runs a script of the project',
    [
      `git rebase -q '-xsh show.sh' HEAD~1`,
      `git rebase -q --exe 'sh show.sh' HEAD~1`,
      `git rebase -q -m --exec='sh show.sh' HEAD~1`,
      `touch -- --patch -p; git log *; git add *`,
    ],
    {
      project: `${SECRET}; printf 'git show HEAD:secret/x | tee out | rev\n' > show.sh`,
      control: { run: 'git log --oneline -1', expects: /secret/ },
    },
  ),
  history(
    'a folder becomes a repository of its own that runs a script',
    [
      `mkdir -p evil/objects evil/refs; printf '[core]\n\tfsmonitor = sh ../show.sh\n\tworktree = ..\n' > evil/config; cd evil && git log --format='tformat:ref: refs/heads/main' -1 > HEAD; git status`,
      `cd evil && git log --format='tformat:ref: refs/heads/main' -1 > HEAD`,
      'cd evil && git status',
      'git -C evil status; git -C own status; cd own && git status',
      `ln -s .git/refs/tags/t link; git rev-parse HEAD > link; git log --format=%H > link; git checkout t -- x`,
      'git show HEAD:secret/x | rev',
    ],
    {
      project: `${SECRET}; printf 'git --git-dir=../.git show HEAD:secret/x | tee ../out; git --git-dir=.git show HEAD:secret/x | tee out\n' > show.sh; git init -q own; touch own/f`,
      control: { run: 'cd src && git status --short; echo state=$?', expects: /state=0/ },
    },
  ),
]
