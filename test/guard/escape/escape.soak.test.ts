/** Every try as root and as an ordinary user, and each once where nothing guards, to show that it is one. */
import { afterAll, describe, expect, test } from 'vitest'
import { failuresOf, namesOf, tableOf } from './report.ts'
import type { Outcome, User } from './try.ts'
import { runTries, whyNot } from './users.ts'

const LIMIT_MS = 1_800_000
const named = (title: string, skipped: string | undefined): string =>
  skipped === undefined ? title : `${title} (skipped: ${skipped})`

const all: Outcome[] = []
afterAll(() => {
  for (const user of ['root', 'user'] as const) {
    const own = all.filter((each) => each.user === user)
    if (own.length > 0) console.log(`as ${user}\n${tableOf(own)}`)
  }
})

describe('a hostile model and a hostile repository', () => {
  for (const user of ['root', 'user'] as const satisfies readonly User[]) {
    const skipped = whyNot(user)
    const title = named(`get nothing through as ${user}, whatever they try`, skipped)
    test.skipIf(skipped !== undefined).concurrent(title, { timeout: LIMIT_MS }, async () => {
      const outcomes = await runTries(user, namesOf())
      all.push(...outcomes)

      expect(failuresOf(outcomes)).toEqual([])
    })
  }
})

const skipped = whyNot('user')
test.skipIf(skipped !== undefined)(
  named('every try gets through where nothing guards', skipped),
  { timeout: LIMIT_MS },
  async () => {
    const names = namesOf(({ guarded }) => guarded === undefined)

    const outcomes = await runTries('user', names, { isUnguarded: true })

    const held = outcomes.filter(({ escapes, skipped }) => escapes.length === 0 && skipped === undefined)
    expect(held.map(({ name }) => name)).toEqual([])
  },
)
