/** What may stand on a prompt, messages of the widgets, and words for three shells. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createRequestReader, type ShellRequest } from '../../src/shell/channel.ts'
import { toColonLine } from '../../src/shell/colon.ts'
import { isPlaceable, proposalsIn } from '../../src/shell/proposal.ts'
import { shellWords } from '../../src/shell/quote.ts'

test('CMD lines, shell blocks and calls are proposals; other blocks are not', () => {
  expect(proposalsIn('Do this:\nCMD: `git status`\n  CMD: npm test', []).commands).toEqual([
    'git status',
    'npm test',
  ])
  expect(proposalsIn('```bash\n# look\n$ ls -la\ntotal 0\n```\n```js\nrm()\n```', []).commands).toEqual([
    'ls -la',
  ])
  expect(proposalsIn('```sh\nmake \\\n  test\nmake install\n```', []).commands).toEqual([
    'make test',
    'make install',
  ])
  expect(proposalsIn('Use `ls`.', ['ls', 'ls']).commands).toEqual(['ls'])
})

test.each([
  ['a line break', 'ls\nrm -rf ~'],
  ['a carriage return', 'ls\rrm -rf ~'],
  ['an escape code', 'ls \u001B[2K'],
  ['a backspace', 'rm -rf ~\b\b\b\bls'],
  ['a turned text', 'ls \u202Efdp.exe'],
  ['a letter that is drawn as nothing', 'l\u200Bs'],
  ['a space that is none', 'ls\u00A0-la'],
  ['another line end', 'ls\u2028rm'],
  ['the history of the shell', 'sudo !rm'],
  ['a mark of ours', ':forget'],
  ['a mark that says run it', '!rm'],
  ['too much', 'x'.repeat(1001)],
])('%s cannot be placed', (_, command) => {
  expect(isPlaceable(command)).toBe(false)
})

test.each([
  "echo 'it is done!'",
  'grep -r "[!a-z]" src',
  'test $a != b',
  'ls -la | wc -l',
  "echo 'é ñ 漢字'",
])('%s can be placed', (command) => {
  expect(isPlaceable(command)).toBe(true)
})

test('a here-document is one command of several lines, and is counted as left out', () => {
  expect(proposalsIn('```sh\ncat <<EOF > a\nhello\nEOF\n```', [])).toEqual({ commands: [], refused: 1 })
})

test('messages without the key are skipped, and those behind them are read', () => {
  const seen: ShellRequest[] = []
  const read = createRequestReader('key', (request) => void seen.push(request))
  const message = 'key\x007\0enter\0file\0/tmp\0ls -la\nnext\0'

  for (const byte of Buffer.from(`forged\x001\0enter\0file\0/\0rm\0${message}`)) read(Buffer.from([byte]))

  expect(seen).toEqual([{ id: '7', verb: 'enter', kind: 'file', folder: '/tmp', line: 'ls -la\nnext' }])
})

test('a colon and a name is one of ours, a colon alone is the shell’s', () => {
  expect(toColonLine(':agent fix the test')).toEqual({ name: 'agent', argument: 'fix the test' })
  expect(toColonLine(':2')).toEqual({ proposal: 2 })
  expect(toColonLine(':wq')).toEqual({ unknown: 'wq' })
  expect(toColonLine(': ignored')).toBeUndefined()
  expect(toColonLine(':')).toBeUndefined()
  expect(toColonLine(':(){ :|:& };:')).toBeUndefined()
})

test.each(['/bin/sh', '/usr/bin/bash', '/usr/bin/zsh', '/usr/bin/fish'].filter(existsSync))(
  '%s reads quoted words back as they were',
  (shell) => {
    const words = ["it's", 'a "b" $HOME `x`', String.raw`back\slash \n`, '', 'plain', '*', '~', '#no', 'é 漢']

    const printed = execFileSync(shell, ['-c', `printf '<%s>' ${shellWords(words)}`], { encoding: 'utf8' })

    expect(printed).toBe(words.map((word) => `<${word}>`).join(''))
  },
)
