/**
 * A slice of the tries, another one at every commit (COVEY_TEST_SEED): half of the classes as root, the others as a user. All
 * of them are in `escape.soak.test.ts`.
 */
import { describe, expect, test } from 'vitest'
import { failuresOf, sliceOf } from './report.ts'
import type { User } from './try.ts'
import { runTries, whyNot } from './users.ts'
import { seed } from '../../support/seed.ts'

const users: readonly { readonly user: User; readonly skipped: string | undefined }[] = (
  ['root', 'user'] as const
).map((user) => ({ user, skipped: whyNot(user) }))

describe('a hostile model and a hostile repository', () => {
  for (const { user, skipped } of users) {
    const title = `get nothing through as ${user}${skipped === undefined ? '' : ` (skipped: ${skipped})`}`
    test.skipIf(skipped !== undefined).concurrent(title, async () => {
      const outcomes = await runTries(
        user,
        sliceOf(user, 1).filter((_, index) => index % 2 === (user === 'root' ? seed : seed + 1) % 2),
      )

      expect(failuresOf(outcomes)).toEqual([])
    })
  }
})
