import { expect, test } from 'vitest'
import { interactiveHint } from '../../src/guard/interactive.ts'

test.each([
  'vim src/a.ts',
  'sudo nano /etc/hosts',
  'EDITOR=x vi a',
  'less README.md',
  'cd src && top',
  'echo hi; python3',
  'node -i',
  '/usr/bin/python',
  'ssh host',
  'ssh -p 22 user@host',
  'git rebase -i HEAD~3',
  'git add -p',
  'git stash -p',
  'tmux new -s x',
  'cat a | vim -',
])('%s is refused with a hint', (command) => {
  expect(interactiveHint(command)).toMatch(/nothing can be typed here/)
})

test.each([
  'python3 -c "print(1)"',
  'python3 script.py',
  'echo "print(1)" | python3',
  'python3 <<EOF\nprint(1)\nEOF',
  'node < script.js',
  'node -e 1',
  'node -v',
  'git log | less',
  'top -bn1',
  'ssh host uptime',
  'ssh -p 22 host uptime',
  'git rebase main',
  'git stash show -p',
  'emacs --batch -l x.el',
  'echo vim',
  "grep 'a; vim' file",
  'bash script.sh',
  'npm run less',
  '',
])('%s may run', (command) => {
  expect(interactiveHint(command)).toBeUndefined()
})
