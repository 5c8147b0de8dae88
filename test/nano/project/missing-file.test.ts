import { describe, expect, test } from 'vitest'
import { missingFile } from '../../../src/nano/project/missing-file.ts'

const files = [
  'notes/lesson1.txt',
  'levels/level01.json',
  'levels/level02.json',
  'Makefile',
  'scripts/backup.sh',
  'config.json',
  'package.json',
]

const read = (path: string) => ({ name: 'read_file', input: { path } })
const run = (command: string) => ({ name: 'run_command', input: { command } })

test.each([
  [
    'delete newsletter.html, nobody reads it',
    { name: 'delete_file', input: { path: 'newsletter.html' } },
    'newsletter.html',
  ],
  ['open level07', read('levels/level01.json'), 'level07'],
  ['open the file lesson9.txt please', read('notes/lesson1.txt'), 'lesson9.txt'],
  ['open the Caddyfile', read('Makefile'), 'Caddyfile'],
  ['run wipe.sh', run('bash wipe.sh'), 'wipe.sh'],
  ['run scripts/deploy.sh', run('bash scripts/backup.sh'), 'scripts/deploy.sh'],
])('%s', (request, call, missing) => {
  expect(
    missingFile(call, request, { files, texts: new Map([['shop.properties', 'payout.zero=none']]) }),
  ).toBe(missing)
})

test.each([
  ['open level02', read('levels/level02.json')],
  ['show me the config.json', read('config.json')],
  ['what is in notes/', read('notes/lesson1.txt')],
  ['run the backup', run('bash scripts/backup.sh')],
  ['run node -e 1', run('node -e 1')],
  [
    'bump node.js to 20 in package.json',
    { name: 'edit_file', input: { path: 'package.json', old: '18', new: '20' } },
  ],
  [
    'replace old.html with new.html in the config',
    { name: 'edit_file', input: { path: 'config.json', old: 'old.html', new: 'new.html' } },
  ],
  ['make tmp.txt with x', { name: 'write_file', input: { path: 'tmp.txt', content: 'x' } }],
  [
    'copy config.json to config.old.json',
    { name: 'copy_file', input: { from: 'config.json', to: 'config.old.json' } },
  ],
  ['who is lesson1 for? see example.com', read('notes/lesson1.txt')],
])('nothing is missing: %s', (request, call) => {
  expect(
    missingFile(call, request, { files, texts: new Map([['shop.properties', 'payout.zero=none']]) }),
  ).toBeUndefined()
})

describe('a day or a script that is not there', () => {
  const files = [
    'rota/friday.csv',
    'rota/sunday.csv',
    'logs/2025-10-04.txt',
    'logs/2025-10-11.txt',
    'package.json',
  ]
  const texts = new Map([
    ['package.json', '{"scripts":{"dev":"vite"}}'],
    ['logs/2025-10-11.txt', 'postponed from 2025-09-28'],
  ])

  test.each([
    ['open the Monday rota', read('rota/friday.csv'), 'file of monday'],
    ['show me the log of September 27', read('logs/2025-10-04.txt'), 'file of 09-27'],
    ['run the seed script', run('npm run dev'), 'seed script'],
  ])('%s', (request, call, missing) => {
    expect(missingFile(call, request, { files, texts })).toBe(missing)
  })

  test.each([
    ['open the Sunday rota', read('rota/sunday.csv')],
    ['open the rota of Friday, I need it on Monday', read('rota/friday.csv')],
    ['show me the log of October 4', read('logs/2025-10-04.txt')],
    ['which log has what was postponed on September 28?', read('logs/2025-10-11.txt')],
    ['run the dev script', run('npm run dev')],
    ['run the vite script', run('npm run dev')],
    ['run the assemble task', run('./gradlew assemble')],
    ['show me the rota by Monday', read('rota/friday.csv')],
    ['open the latest log, I need it for the 30th', read('logs/2025-10-11.txt')],
  ])('%s', (request, call) => {
    expect(missingFile(call, request, { files, texts })).toBeUndefined()
  })
})

describe('what words name', () => {
  const texts = new Map([
    ['prices/harborne.csv', 'cut,15'],
    ['prices/digbeth.csv', 'cut,16'],
    ['notes/week1.md', 'flour 7 kg'],
    ['notes/week2.md', 'all quiet'],
    ['config/fraud-scorer.properties', 'threads=4'],
    ['config/order-enricher.properties', 'threads=8'],
    ['logs/2025-06-02.md', 'quiet'],
    ['logs/2025-06-03.md', 'quiet'],
    ['hours/opening_hours.txt', 'nine to five'],
  ])
  const common = new Set('price prices list week notes prod config shift groceries'.split(' '))
  const project = { files: [...texts.keys()], texts, knows: (word: string) => common.has(word) }

  test.each([
    ['open the Moseley price list', 'prices/harborne.csv', 'Moseley price list'],
    ['open the week 7 notes', 'notes/week1.md', 'week 7'],
    [
      'show me prod config of payments-router',
      'config/fraud-scorer.properties',
      'prod config of payments-router',
    ],
    ['Open the shift log for 14 June.', 'logs/2025-06-02.md', 'file of 06-14'],
  ])('is missing: %s', (request, path, name) => {
    expect(missingFile(read(path), request, project)).toBe(name)
  })

  test.each([
    ['open the Harborne price list', 'prices/harborne.csv'],
    ['open the groceries', 'notes/week1.md'],
    ['open the week 2 notes', 'notes/week2.md'],
    ['show me the regular opening hours', 'hours/opening_hours.txt'],
    ['open the harbone prices', 'prices/harborne.csv'],
    ['show me the log of the 2nd, I need it for 14 June', 'logs/2025-06-02.md'],
  ])('is there: %s', (request, path) => {
    expect(missingFile(read(path), request, project)).toBeUndefined()
  })

  test('is what a later step makes', () => {
    const request = 'show me week1.md, then copy it to archive/week1-old.md'

    expect(missingFile(read('notes/week1.md'), request, project)).toBeUndefined()
  })
})
