import { readFileSync } from 'node:fs'

/** Commands of everyday work that only look, one a line: they must not be asked for. */
export const harmless: readonly string[] = String.raw`
ls -la
cat README.md
cat src/*.ts
head -n 20 a.txt
tail -5 log
wc -l src/*.ts
grep -rn "foo$" src
grep -E 'a|b' x | sort | uniq -c | sort -rn | head
grep -n "TODO\|FIXME" -r .
rg -n 'pattern' src
rg --files -g '*.ts' | wc -l
find . -name '*.ts' -not -path './node_modules/*' | head -50
find . -type f \( -name "*.js" -o -name '*.ts' \) -print
find src -maxdepth 2 -type d
git status
git status --short
git status -uno
git log --oneline -10
git log -n 5 --stat
git log --since="2 weeks ago" --author=me --pretty=format:'%h %s'
git log --graph --all --decorate --oneline
git log -p -S'foo' -- src
git diff
git diff --cached
git diff HEAD~1 -- src/a.ts
git diff --stat main...HEAD
git diff --name-only HEAD~3 HEAD
git show HEAD:src/a.ts
git show --name-only HEAD
git branch -vv
git branch --show-current
git remote -v
git rev-parse --abbrev-ref HEAD
git blame -L 10,20 src/a.ts
git ls-files '*.ts'
git stash list
git tag
git config --get user.name
git grep -n foo -- src
git shortlog -sn
git describe --tags
git merge-base main HEAD
git rev-list --count HEAD
pwd
cd src && ls
cd src && cat a.ts | head -20
which node
node --version
npm -v
python3 --version
command -v git
type ls
echo hello
printf '%s\n' a b
stat a.txt
du -sh .
df -h
ps aux
ps -ef | grep node
uname -a
whoami
date
date +%Y-%m-%d
env
test -f package.json && cat package.json
[ -f package.json ] && cat package.json
[ -d src ] || echo missing
sed -n '1,20p' a.ts
sed -n '/start/,/end/p' file
sed 's/a/b/g;s/c/d/' file
sed -e 's/a/b/' -e '/x/d' file
sed -nE 's/.*"version": "([^"]+)".*/\1/p' package.json
awk '{print $1}' a
awk -F: '{print $1, $3}' a
awk 'NR>=10 && NR<=20' f
awk '$3 > 5 {print $1}' f
awk '/foo|bar/ {n++} END {print n}' f
awk '{sum += $1} END {print sum/NR}' f
awk 'NR==1 || /[0-9]+/' f
awk '{ print ($1 + $2) / 2, $3 / 4 }' f
awk '{ if ($1 > 1e3) print "many/" $1 / 10 }' f
sed 's/[[:space:]]*$//' f
find . -name *.ts
strings -n 8 a.out
base64 -d a.txt
jq '.scripts' package.json
jq -r '.dependencies | keys[]' package.json
tree -L 2 -I node_modules
diff -u a b
sort -k2,2n -t, a.csv
cut -d: -f1 a
tr a-z A-Z < a
ls 2>/dev/null
ls -la 2>&1 | head
basename a/b
readlink -f a
file a
npm ls --depth=0
pip list
go version
md5sum a
xxd a | head
if [ -f a ]; then cat a; fi
! grep -q x y
(cd src; ls)
nproc
sleep 1
man ls
seq 1 10
strings a | grep x
realpath .
cmp a b
comm -12 a b
nl -ba a
uptime
git config user.name
sed '1i\\hello' a
less README.md
printenv PATH
`
  .trim()
  .split('\n')

/** Commands as people and models type them to look around; in a read-only sandbox none of them does any harm. */
export const typed = linesOf('typed.txt')

/** Commands that change something, reach out, run the project's code or cannot be read: a person is asked, sandbox or not. */
export const asked = linesOf('asked.txt')

function linesOf(name: string): readonly string[] {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
}
