import { expect, test } from 'vitest'
import { factsIn } from '../../../src/nano/commands/facts.ts'
import { commandsFor } from '../../../src/nano/commands/candidates.ts'
import { commandCandidates, plainCommand, scriptFit } from '../../../src/nano/commands/ranking.ts'
import { createPathProject } from '../../../src/nano/paths/project.ts'

test.each([
  ['how full is the disk??', 'df -h'],
  ['how much disk does this folder take', 'du -sh .'],
  ["what's todays date", 'date'],
  ['which python is on this machine', 'python3 --version'],
  ['what node verison is on this box', 'node --version'],
  ['last 5 commits, one line each', 'git log --oneline -5'],
  ['show me the latest commit', 'git log -1'],
  ['which branch am i on', 'git branch --show-current'],
  ['what have I changed?', 'git diff'],
  ['git add everything', 'git add -A'],
  ['and commit with message new prices', 'git commit -m "new prices"'],
  ['commit it as "cart badge done"', 'git commit -m "cart badge done"'],
  ['is there enough memory left', 'free -h'],
])('what everyone means by the same words: %s', (clause, command) => {
  expect(factsIn(clause)[0]?.command).toBe(command)
})

test.each([
  ['bump the node version in package.json to 20'],
  ['when is the date of the next meeting in notes.md'],
  ['rename CR-043 without losing the history'],
  ['delete the disk image'],
  ['what day does the order start'],
])('and nothing of the machine is asked for: %s', (clause) => {
  expect(factsIn(clause)).toEqual([])
})

const project = createPathProject(
  ['package.json', 'scripts/backup.sh', 'scripts/report.py', 'README.md'],
  new Map([
    ['package.json', '{"scripts":{"test":"vitest run","lint":"oxlint"}}'],
    ['scripts/backup.sh', '# packs the whole site\ntar czf backup.tgz .\n'],
    ['scripts/report.py', 'import sys\nprint(sys.argv[1])\n'],
    ['README.md', 'To deploy:\n\n    $ rsync -a dist/ web:/srv\n'],
  ]),
)

test('scripts, files, pages and what is spelled may be run', () => {
  const found = commandsFor({ clause: 'run ls -la and then the report on README.md', project, recent: [] })

  expect(found.map(({ command }) => command)).toEqual(
    expect.arrayContaining([
      'ls -la',
      'npm test',
      'npm run lint',
      'bash scripts/backup.sh',
      'python3 scripts/report.py README.md',
      'rsync -a dist/ web:/srv',
    ]),
  )
})

test('a script of the shell is one candidate, however it is started', () => {
  const commands = commandCandidates({ clause: 'run ./scripts/backup.sh', project, recent: [] })

  expect(commands.filter(({ command }) => plainCommand(command) === 'bash scripts/backup.sh')).toHaveLength(1)
})

test('words name a script by other words, too', () => {
  expect(scriptFit('water the plants', project)).toBe(0)
  expect(scriptFit('start a backup', project)).toBe(1)
  expect(scriptFit('are the specs green?', project)).toBe(1)
})
