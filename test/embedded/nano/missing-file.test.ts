import { expect, test } from 'vitest'
import { missingFile } from '../../../src/embedded/nano/missing-file.ts'

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
