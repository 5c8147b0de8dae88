import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contradicts, readStatement } from '../../src/memory/topic.ts'

const clash = (older: string, newer: string): boolean =>
  contradicts(readStatement(older), readStatement(newer))
const same = (a: string, b: string): boolean => readStatement(a).identity === readStatement(b).identity

describe('another value for the same thing contradicts', () => {
  test.each([
    ['The API server listens on port 8080.', 'The API server listens on port 9090'],
    ['The default branch is main', 'Our default branch is trunk.'],
    ['The database is Postgres', 'The database is MySQL'],
    ['The request timeout is 30 seconds', 'The request timeout is 2 minutes'],
    ['User prefers tabs over spaces', 'User prefers spaces over tabs'],
    ['We use jest for unit tests', 'We use vitest for unit tests'],
    ['Use yarn', 'Do not use yarn'],
    ['The service worker is enabled in development', 'The service worker is disabled in development'],
    ['Reviews are required for docs', "Reviews aren't required for docs"],
    ['The billing module is owned by Maria', 'The billing module is owned by Tariq'],
    ['The log folder is /var/log/app', 'The log folder is /srv/logs'],
    ['Sessions expire after 14 days', 'Sessions expire after 7 days'],
    ['registry: npm.example.com', 'registry: packages.example.com'],
    ['The standup starts at 9:30', 'The standup starts at 10:15'],
  ])('%s / %s', (older, newer) => {
    expect(clash(older, newer)).toBe(true)
  })
})

describe('what is merely similar stands side by side', () => {
  test.each([
    ['The API server listens on port 8080', 'The admin server listens on port 9090'],
    ['The project uses Postgres', 'The project uses Redis'],
    ['The API is fast', 'The API is versioned'],
    ['The build cache is shared', 'The build cache is slow'],
    ['The API is written in Rust', 'The API is hosted on Fly'],
    ['Issue 12 broke the login', 'Issue 13 broke the login'],
    ['Sprint 14 ends on Friday', 'Sprint 15 ends on Monday'],
    ['Tests need Docker', 'Tests need Postgres'],
    ['The router supports SSE', 'The router supports websockets'],
    ['The database is Postgres', 'The database is slow on Mondays because of the reports'],
    ['Maria owns billing', 'Maria owns payments'],
    ['Never deploy on Fridays', 'Never deploy on Sundays'],
    ['The timeout is 30', 'The timeout is /etc/timeout.conf'],
  ])('%s / %s', (older, newer) => {
    expect(clash(older, newer)).toBe(false)
  })
})

test.each([
  ['The default branch is main.', 'default branch is  Main'],
  ['Use the linter!', 'use linter'],
])('%s says the same as %s', (a, b) => {
  expect(same(a, b)).toBe(true)
})

test('the order of words matters', () => {
  expect(same('prefers tabs over spaces', 'prefers spaces over tabs')).toBe(false)
})

test('nothing contradicts itself, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2000 }), (text) => {
      expect(clash(text, text)).toBe(false)
    }),
  )
})
