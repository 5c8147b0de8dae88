import { expect, test } from 'vitest'
import { isFiltered, plainCommand } from '../../src/lib/command-text.ts'

test.each([
  ['npm test', 'npm test'],
  ['npm test 2>&1', 'npm test'],
  ['npm test 2>&1 | tail -n 20', 'npm test'],
  ['npm test |& grep -v ok | head', 'npm test'],
  ['npm test > out.log 2>&1; tail out.log; rm out.log', 'npm test'],
  ['npm test &> out.log || true', 'npm test'],
  ['npm test; echo "exit: $?"', 'npm test'],
  ['cat data.json | node load.js 2>/dev/null', 'cat data.json | node load.js'],
  ["grep -E 'a|b > c' lib", "grep -E 'a|b > c' lib"],
  ['node -e "a > b | c"', 'node -e "a > b | c"'],
  ['cd packages/a && npm test 2>&1 | tail', 'cd packages/a && npm test'],
  ['make', 'make'],
  ['', ''],
])('%s is %s', (command, plain) => {
  expect(plainCommand(command)).toBe(plain)
})

test.each([
  ['npm test', false],
  ['npm test 2>&1', false],
  ['npm test | tail', true],
  ['npm test; echo done', true],
  ['npm test || true', true],
  ['cd a && npm test', false],
  ["grep 'a|b' lib", false],
])('the exit code of %s may be that of another program: %s', (command, filtered) => {
  expect(isFiltered(command)).toBe(filtered)
})
