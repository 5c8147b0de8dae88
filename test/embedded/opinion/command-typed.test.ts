import { expect, test } from 'vitest'
import { typedCommand } from '../../../src/embedded/opinion/command-typed.ts'

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
