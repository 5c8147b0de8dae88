import { expect, test } from 'vitest'
import { typedCommand } from '../../../src/nano/commands/typed.ts'
import { createPathProject } from '../../../src/nano/paths/project.ts'

test.each([
  ['php artisan config:clear please', 'php artisan config:clear'],
  ['and then php artisan migrate', 'php artisan migrate'],
  ['npm run lint', 'npm run lint'],
  ['run `flutter pub get` now', 'flutter pub get'],
  ['`git status`', 'git status'],
  ['git add .', 'git add .'],
  ['git commit -m "fix the port, and more"', 'git commit -m "fix the port, and more"'],
  ['then docker compose up -d.', 'docker compose up -d'],
  ['find -name "*.log"', 'find -name "*.log"'],
])('%s', (clause, command) => {
  expect(typedCommand(clause)).toBe(command)
})

test.each([
  'git push is what broke it',
  'make folders old and new',
  'make docs/adr',
  'make folder archive/2024',
  'find invoices',
  'npm',
  'sort prices.csv by date',
  'run the tests',
  'python is slow today',
  'docker, again',
  'find invoices about "the port"',
])('no command: %s', (clause) => {
  expect(typedCommand(clause)).toBeUndefined()
})

test.each([
  ["bash scripts/print_rota.sh sunday please and I'll read it off", 'bash scripts/print_rota.sh sunday'],
  ["run npm run links I'm worried about the map one", 'npm run links'],
])('what is said behind it is no part of it: %s', (clause, command) => {
  expect(typedCommand(clause)).toBe(command)
})

test.each([
  'git push, Sam did',
  'git push I did yesterday',
  "npm publish I'm told broke it",
  'npm run deploy because Sam said so',
  'npm run build; rm -rf x',
  'docker compose down, said the runbook',
])('what is told about is not typed: %s', (clause) => {
  expect(typedCommand(clause)).toBeUndefined()
})

test('nor is what is pasted', () => {
  expect(typedCommand(`npm run ${'x '.repeat(1000)}`)).toBeUndefined()
})

test.each(['grep wake_lock', 'grep pool exhausted everywhere'])('%s is a search', (clause) => {
  expect(typedCommand(clause)).toBeUndefined()
})

const shop = createPathProject(
  ['package.json', 'bin/backup.sh', 'etc/hosts', 'data/products.json', 'src/slider.js', 'tools/validate.py'],
  new Map([['package.json', '{"scripts":{"deploy":"sh deploy.sh"}}']]),
)

test.each([
  ['npm run deploy pls (staging only naman yan)', 'npm run deploy'],
  ['du -sh data, just curious of the size', 'du -sh data'],
  ['cargo clean, i need the room', 'cargo clean'],
  ['2. Run: node src/slider.js prod', 'node src/slider.js prod'],
  ['then backup.sh etc', 'bash bin/backup.sh etc'],
  ['tools/validate.py data', 'python3 tools/validate.py data'],
  ['npm run lint &&', 'npm run lint'],
  ['git init here', 'git init'],
])('of "%s" the command is run', (clause, command) => {
  expect(typedCommand(clause, shop)).toBe(command)
})

test.each([
  'wc -l will do',
  'wc -l on products.json',
  'find all .avsc',
  'find data',
  'ping all hosts',
  'node version',
  'git add everything',
  'git stash pop eat untracked files',
  'du -sh data, if there is time',
  'du -sh data, was it slow?',
  'npm run deploy (not now)',
  'npm run deploy, when Sam is back',
  'go build it',
  'make lag for prod',
  'slider.js',
  'backup.sh finished',
  'then validate.py',
  'npm start server',
  'docker up and running',
])('a sentence is no command: %s', (clause) => {
  expect(typedCommand(clause, shop)).toBeUndefined()
})
