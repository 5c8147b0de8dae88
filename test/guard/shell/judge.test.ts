import * as fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { judgeCommand } from '../../../src/guard/shell/judge.ts'
import { harmless } from '../harmless.ts'
import { runs } from '../../support/runs.ts'

type Attack = { id: string; input: string; allow: string; deny?: string }

const attacks = readFileSync(new URL('../fixtures/shell.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Attack)

const judgeAttack = ({ input, allow, deny }: Attack) =>
  judgeCommand(input, { allow: allow.split(','), deny: deny?.split(',') ?? [] })

describe('a corpus of commands that hide a write behind an allowed word', () => {
  test.each(attacks.map((attack) => [attack.id, attack] as const))(
    '%s is asked or denied',
    async (_, attack) => {
      const { verdict, kind } = await judgeAttack(attack)

      expect(verdict).not.toBe('allow')
      expect(attack.input === 'set' ? 'unknown' : kind).not.toBe('read-only')
    },
  )
})

test('other blanks, quotes and letters do not get a hidden write allowed', async () => {
  const mutations: readonly ((text: string) => string)[] = [
    (text) => text.replaceAll(/(?<=\w) (?=\w)/g, '   '),
    (text) => text.replaceAll(/(?<=\w) (?=\w)/g, '\t'),
    (text) => ` ${text} `,
    (text) => `${text}\n`,
    (text) => text.replaceAll('touch', "'touch'"),
    (text) => text.replaceAll('touch', 't\\ouch'),
    (text) => text.replaceAll('touch', 'to""uch'),
    (text) => text.replaceAll('touch', '"touch"'),
    (text) => text.replaceAll('touch', '/usr/bin/touch'),
    (text) => text.replaceAll('touch', 'TOUCH'),
    (text) => text.toUpperCase(),
    (text) => `(${text})`,
    (text) => `{ ${text}; }`,
    (text) => `! ${text}`,
    (text) => `true && ${text}`,
    (text) => `if true; then ${text}; fi`,
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...attacks),
      fc.array(fc.constantFrom(...mutations), { minLength: 1, maxLength: 3 }),
      async (attack, chosen) => {
        const input = chosen.reduce((text, mutate) => mutate(text), attack.input)

        expect((await judgeAttack({ ...attack, input })).verdict).not.toBe('allow')
      },
    ),
    { numRuns: runs(500, 1_500) },
  )
})

describe('plain uses of an allowed prefix pass', () => {
  test.each([
    ['ls', 'ls -la src'],
    ['ls', 'ls *.ts'],
    ['npm test', 'npm test'],
    ['npm test', 'npm test -- --run'],
    ['npm run build', 'npm run build --silent'],
    ['echo', 'echo hello world'],
    ['cat', 'cat README.md'],
    ['cat', 'cat src/*.ts'],
    ['pytest', 'pytest -q tests/test_a.py'],
    ['pytest', 'pytest -x -k "name and other"'],
    ['grep', "grep -rn 'a b' src"],
    ['ls,wc', 'ls | wc -l'],
    ['cargo build', 'cargo build --release'],
    ['go test', 'go test ./...'],
    ['make test', 'make test'],
    ['sed', "sed -n '1,20p' a.ts"],
    ['awk', "awk '{print $1}' a.txt"],
    ['find', "find . -name '*.ts'"],
    ['sort', 'sort -k2,2 -n a.csv'],
    ['npx vitest', 'npx vitest --run src'],
    ['python3 tools/gen.py', 'python3 tools/gen.py all'],
    ['mkdir', 'mkdir build'],
    ['rm -rf build', 'rm -rf build'],
  ])('%s: %s', async (allow, command) => {
    expect((await judgeCommand(command, { allow: allow.split(',') })).verdict).toBe('allow')
  })
})

describe('what goes beyond an allowed prefix is asked for', () => {
  test.each([
    ['npm test', 'npm test --prefix ../other'],
    ['npm test', 'npm test --script-shell=./evil.sh'],
    ['npm', 'FOO=1 npm test'],
    ['pytest', 'pytest -p evil'],
    ['pytest', 'pytest -c evil.ini'],
    ['pytest', 'pytest --rootdir=/'],
    ['cargo build', 'cargo build --config build.rustc="./evil"'],
    ['make', 'make -f evil.mk'],
    ['make', 'make SHELL=./evil'],
    ['go test', 'go test -exec ./evil'],
    ['python3', 'python3 evil.py'],
    ['node', 'node -e 1'],
    ['npx', 'npx evil'],
    ['npm', 'npm exec evil'],
    ['less', 'less +!touch f'],
    ['javac', 'javac @options'],
    ['curl', 'curl https://example.com/?q=1'],
    ['git branch', 'git branch new'],
    ['git fetch', "git fetch --upload-pack='touch x' ."],
    ['cat', 'cat .env'],
    ['cat', 'cat ~/.ssh/id_rsa'],
    ['cat', 'cat /proc/self/environ'],
    ['cat', 'cat /etc/passwd'],
    ['cat', 'cat *.md > out'],
    ['ls', './ls'],
    ['ls', "'ls' -la"],
    ['sort', 'sort *'],
    ['find', 'find . -files0-from x'],
    ['read', "read 'a[$(touch x)]'"],
    ['test', "test -v 'a[$(touch x)]'"],
    ['echo', 'echo a & touch x'],
    ['tar', "tar xIf 'touch x' a.tar"],
    ['ls', 'ls {a,b}'],
  ])('%s: %s', async (allow, command) => {
    expect((await judgeCommand(command, { allow: allow.split(',') })).verdict).toBe('ask')
  })
})

test('git is covered by a rule only inside a sandbox, because the repository decides what git runs', async () => {
  const allow = ['git status']

  expect((await judgeCommand('git status', { allow })).verdict).toBe('ask')
  expect((await judgeCommand('git status', { allow, sandboxed: true })).verdict).toBe('allow')
})

describe('a denied command is denied in every form', () => {
  test.each([
    ['touch', 'touch a'],
    ['touch', 'ls; touch a'],
    ['touch', 'ls && (cd x; touch a)'],
    ['touch', 'echo $(touch a)'],
    ['touch', 'cat <(touch a)'],
    ['touch', '/usr/bin/touch a'],
    ['touch', '"touch" a'],
    ['touch', "t'ou'ch a"],
    ['touch', 't\\ouch a'],
    ['touch', "$'\\x74ouch' a"],
    ['touch', 'touch${IFS}a'],
    ['touch', '/bin/t?uch a'],
    ['touch', '/bin/tou[a-z]h a'],
    ['touch', 'TOUCH a'],
    ['touch', 'env A=1 touch a'],
    ['touch', 'sudo -u me nice -n 5 touch a'],
    ['touch', 'ls | xargs -n1 touch'],
    ['touch', 'find . -exec touch {} \\;'],
    ['touch', "bash -c 'ls; touch a'"],
    ['touch', `sh -c "bash -c 'touch a'"`],
    ['touch', "env -S 'touch a'"],
    ['touch', 'git bisect run touch a'],
    ['touch', 'docker exec c touch a'],
    ['touch', "git -c alias.x='!touch a' x"],
    ['touch', "git rebase --exec 'touch a' main"],
    ['touch', 'f() { touch a; }; f'],
    ['touch', 'for i in 1 2; do touch $i; done'],
    ['touch', 'A=1 touch a'],
    ['touch', 'cat <<EOF\n$(touch a)\nEOF'],
    ['git push', 'git push'],
    ['git push', 'git -C x push'],
    ['git push', 'git -c a.b=c --no-pager push origin'],
    ['git push', 'sudo \'git\' "push"'],
    ['rm -rf', 'rm -rf /'],
    ['rm -rf', 'rm -r -f x'],
    ['rm -rf', 'rm -fr x'],
    ['rm -rf', 'rm --recursive --forc x'],
    ['git push', 'git -c alias.p=push p origin'],
    ['npm publish', 'npm --tag x publish'],
    ['touch', `${'true; '.repeat(150)}touch a`],
    ['touch', `echo ${'x'.repeat(9000)}; touch a`],
    ['touch', `${'('.repeat(300)}touch a`],
    ['touch', `if ls; then touch a`],
  ])('%s: %s', async (deny, command) => {
    expect((await judgeCommand(command, { allow: ['ls', 'git', 'rm', 'npm'], deny: [deny] })).verdict).toBe(
      'deny',
    )
  })

  test.each([
    ['touch', 'echo touch'],
    ['touch', 'ls touch.txt'],
    ['rm', 'git rm x'],
    ['git push', 'git commit -m push'],
    ['rm', "git commit -m 'first; rm the rest'"],
    ['rm -rf', 'rm -r x'],
    ['git push -f', 'git push --follow-tags'],
  ])('%s does not stand for: %s', async (deny, command) => {
    expect((await judgeCommand(command, { deny: [deny] })).verdict).toBe('ask')
  })
})

test('almost all harmless commands are known to only read', async () => {
  const judged = await Promise.all(harmless.map((command) => judgeCommand(command)))

  const missed = harmless.filter((_, index) => judged[index]?.kind !== 'read-only')

  expect(missed.length / harmless.length).toBeLessThan(0.05)
})

describe('what writes, runs something or cannot be understood never passes for a reader', () => {
  test.each([
    ['rm a', 'write'],
    ['git commit -m x', 'write'],
    ['git branch new', 'write'],
    ['git branch --sort=refname new', 'write'],
    ['npm test', 'write'],
    ['sort -o out in', 'write'],
    ['sort -nro out in', 'write'],
    ['tree -o out', 'write'],
    ['sed -i s/a/b/ f', 'write'],
    ["sed 's/a/b/w out' f", 'write'],
    ["sed '1,5wout' f", 'write'],
    ['awk \'{print > "out"}\' f', 'write'],
    ['find . -delete', 'write'],
    ['echo a > out', 'write'],
    ['> out', 'write'],
    ['ls &> out', 'write'],
    ['cat a | tee out', 'write'],
    ['kill "$PID"', 'write'],
    ["sed '1e touch x' f", 'unknown'],
    ["sed 's/a/b/e' f", 'unknown'],
    ['sed -f script f', 'unknown'],
    ['awk \'BEGIN{system("x")}\'', 'unknown'],
    ['awk \'BEGIN{"date" | getline}\'', 'unknown'],
    ['awk \'{print $1,\n$2 > "out"}\' f', 'write'],
    ['awk \'{ x = 1 /a; system("x") / 2 }\'', 'unknown'],
    ['awk \'BEGIN { print /#/; system("touch x") }\'', 'unknown'],
    ['awk \'BEGIN { if (1) /#/; system("touch x") }\'', 'unknown'],
    ['awk \'BEGIN { print /"/, "a"; system("touch x") #"\n}\'', 'unknown'],
    ['awk \'BEGIN { x = length /#/; system("touch x") }\'', 'unknown'],
    ['awk \'BEGIN { x = 1system("touch x") }\'', 'unknown'],
    ["sed 's/[[:alpha:]/]/#/e' f", 'unknown'],
    ["sed 's/[^]/]/#/e' f", 'unknown'],
    ['find . -exec rm {} +', 'unknown'],
    ['find . -name *', 'unknown'],
    ['find . -name ?delete', 'unknown'],
    ['nm @options', 'unknown'],
    ['strings @options', 'unknown'],
    ['readelf -a @options', 'unknown'],
    ['arch -x86_64 rm a', 'unknown'],
    ['base64 -o out in', 'unknown'],
    ['pnpm ls', 'write'],
    ['find . -name -delete', 'unknown'],
    ['git diff --output=x', 'unknown'],
    ['git diff --outp=x', 'unknown'],
    ['git diff --ext-diff', 'unknown'],
    ['git log --unified --output=x', 'unknown'],
    ['git log --author -- --output=x', 'unknown'],
    ['git log --format=%G?', 'unknown'],
    ['git grep -Otouch x', 'unknown'],
    ['git -C x status', 'unknown'],
    ['cd x && git status', 'unknown'],
    ['rg --pre ./x y', 'unknown'],
    ['rg --hostname-bin ./x y', 'unknown'],
    ['uniq a b', 'unknown'],
    ['xxd a b', 'unknown'],
    ['date 10101010', 'unknown'],
    ['hostname new', 'unknown'],
    ['ps axe', 'unknown'],
    ['jq env', 'unknown'],
    ['printf -v x y', 'unknown'],
    ['command ls', 'unknown'],
    ['env ls', 'unknown'],
    ['git config a.b c', 'unknown'],
    ['git config --global alias.x y', 'unknown'],
    ['less +!touch f', 'unknown'],
    ["sed '1a\\' f", 'unknown'],
    ["sed -e 'a text' -e 'w x' f", 'write'],
    ['ls $HOME', 'unknown'],
    ['echo `id`', 'unknown'],
    ['A=1 ls', 'unknown'],
    ['ls | bash', 'unknown'],
    ['./ls', 'unknown'],
    ['cat < /dev/tcp/1.1.1.1/80', 'unknown'],
    ['ls \u202E', 'unknown'],
    ['ls\r\ntouch a', 'unknown'],
    ['', 'unknown'],
    ['# only a comment', 'unknown'],
  ])('%s', async (command, kind) => {
    expect((await judgeCommand(command)).kind).toBe(kind)
  })
})

test('of several parts the strictest counts', async () => {
  expect((await judgeCommand('ls; cat a')).kind).toBe('read-only')
  expect((await judgeCommand('ls; foo')).kind).toBe('unknown')
  expect((await judgeCommand('foo; rm a; ls')).kind).toBe('write')
})

test('nothing makes it throw, and what it does not understand is asked for', async () => {
  const pieces = [
    'ls',
    ' ',
    '$(',
    ')',
    '`',
    '"',
    "'",
    '\\',
    '\n',
    ';',
    '|',
    '&',
    '<',
    '>',
    '{',
    '}',
    '<<A',
    '[[',
    '#',
    '\0',
    '😀',
    'if',
  ]
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fc.constantFrom(...pieces)).map((all) => all.join('')),
  )

  await fc.assert(
    fc.asyncProperty(text, async (command) => {
      const { verdict, kind } = await judgeCommand(command, { deny: ['rm'] })

      expect(['ask', 'deny']).toContain(verdict)
      expect(['read-only', 'write', 'unknown']).toContain(kind)
    }),
    { numRuns: runs(250, 800) },
  )
})

test('a megabyte is not read but asked for', async () => {
  expect(await judgeCommand('ls '.repeat(350_000), { allow: ['ls'] })).toEqual({
    verdict: 'ask',
    kind: 'unknown',
    why: 'it is longer than 8000 characters',
  })
})
