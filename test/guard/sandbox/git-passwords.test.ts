import { expect, test } from 'vitest'
import { withoutPasswords } from '../../../src/guard/sandbox/git-passwords.ts'

test.each([
  ['url = https://ada:s3cr3t@example.com/x.git', 'url = https://hidden@example.com/x.git'],
  ['url = https://x-access-token@example.com/x.git', 'url = https://hidden@example.com/x.git'],
  ['url = ssh://git:pw@example.com/x', 'url = ssh://hidden@example.com/x'],
  ['[url "https://ada:pw@example.com/"]', '[url "https://hidden@example.com/"]'],
  ['\textraHeader = Authorization: Basic YWRhOnB3', '\textraHeader = hidden'],
  ['[http] extraheader = X: \\\n  y', '[http] extraheader = hidden'],
  ['\tsmtpPass = pw', '\tsmtpPass = hidden'],
  ['helper = "!f() { echo password=pw; }; f"', 'helper = hidden'],
])('a login in a configuration is hidden: %j', (line, shown) => {
  expect(withoutPasswords(`[core]\n\tbare = false\n${line}\n`)).toBe(`[core]\n\tbare = false\n${shown}\n`)
})

test.each([
  'url = https://example.com/x.git',
  'url = git@example.com:x/y.git',
  'url = ssh://git@example.com/x.git',
  'email = ada@example.com',
  'helper = store',
  'fetch = +refs/heads/*:refs/remotes/origin/*',
  'pushDefault = tokenizer',
])('what holds none stays as it is: %j', (line) => {
  expect(withoutPasswords(`[remote "origin"]\n\t${line}\n`)).toBeUndefined()
})
