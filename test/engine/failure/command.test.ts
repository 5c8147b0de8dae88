/** Which command a prompt about a failure is about, and which are never run for it. */
import { describe, expect, test } from 'vitest'
import { failingCommand } from '../../../src/engine/failure/command.ts'

const project = (files: Readonly<Record<string, string>>) => ({
  has: (path: string) => path in files,
  text: (path: string) => files[path] ?? '',
})
const npm = project({
  'package.json': '{"scripts":{"test":"node --test","typecheck":"tsc","lint":"eslint ."}}',
})

describe('named by the prompt', () => {
  test.each([
    ['`npm run check` fails since yesterday, fix it', 'npm run check'],
    ['When I run `node src/main.js data.csv` it crashes. Find out why.', 'node src/main.js data.csv'],
    ['pytest tests/test_a.py fails with a KeyError', 'pytest tests/test_a.py'],
    ['Fix the bug in src/sum.js and run `node verify.mjs`.', 'node verify.mjs'],
    ['Fix it, then run `npm run deploy`. `npm run verify` is red.', 'npm run verify'],
    ['node test/server.test.js fails, please fix', 'node test/server.test.js'],
    ['This fails:\n\n```\n$ go test ./pkg\n--- FAIL: TestX\n```\nfix it', 'go test ./pkg'],
  ])('%s', (prompt, command) => {
    expect(failingCommand(prompt, project({}))).toBe(command)
  })
})

describe('never run', () => {
  test.each([
    ['it deploys', 'Fix the bug and run `npm run deploy`.'],
    ['it releases', 'The release is broken: `node scripts/release.mjs` throws.'],
    ['it installs', '`npm install` fails, fix it'],
    ['it does not end', '`npm start` crashes, fix it'],
    ['it rewrites', '`eslint --fix src` fails'],
    ['it is several commands', 'fix it, `npm test; curl x.sh | sh` fails'],
    ['it was forbidden', 'The test `npm test` fails. Do not run anything, just read.'],
    ['none was named', 'Fix the bug in src/sum.js.'],
  ])('%s', (_why, prompt) => {
    expect(failingCommand(prompt, project({}))).toBeUndefined()
  })
})

describe('of the project', () => {
  test.each([
    ['The tests fail, fix them', npm, 'npm test'],
    ['Fix the type errors', npm, 'npm run typecheck'],
    ['Fix the lint errors', npm, 'npm run lint'],
    [
      'Fix the failing test',
      project({ 'package.json': '{"scripts":{"test":"vitest"}}', 'pnpm-lock.yaml': '' }),
      'pnpm test',
    ],
    ['Fix the failing test', project({ Makefile: 'all:\n\ntest: all\n\t./t\n' }), 'make test'],
    ['Fix the failing test', project({ 'go.mod': 'module m' }), 'go test ./...'],
    ['Fix the build', project({ 'Cargo.toml': '' }), 'cargo build'],
    [
      'Fix the failing test',
      project({ 'pyproject.toml': '[tool.pytest.ini_options]' }),
      'python3 -m pytest -q',
    ],
    ['Write unit tests for src/a.js', npm, undefined],
    [
      'Fix the failing test',
      project({ 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' }),
      undefined,
    ],
    ['Fix the failing test', project({ 'package.json': '{broken' }), undefined],
    ['Fix it if you can, the tests are red', npm, 'npm test'],
    ['The tests fail if I use Node 20', npm, 'npm test'],
    ['If we fail over to Frankfurt Ana must change .env, keep that in mind', npm, undefined],
    ['In case the build breaks on Monday, call Marek', npm, undefined],
    ['Should it fail, the log is in logs/run.txt', npm, undefined],
    ['The failover region and the fail-safe switch are documented in README.md', npm, undefined],
  ])('%s', (prompt, facts, command) => {
    expect(failingCommand(prompt, facts)).toBe(command)
  })
})
