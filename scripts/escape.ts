/**
 * Tries to get through the guard, by hand: `npx tsx scripts/escape.ts [root|user] [-u] [-v] [part of a name, or a class]...`;
 * `-u` leaves the guard out, `-v` shows what the model saw.
 */
import { allTries } from '../test/guard/escape/tries/all.ts'
import { tableOf } from '../test/guard/escape/report.ts'
import { runTries } from '../test/guard/escape/users.ts'
import type { User } from '../test/guard/escape/try.ts'

const args = process.argv.slice(2)
const users = args.filter((each) => each === 'root' || each === 'user') as User[]
const isUnguarded = args.includes('-u')
const wanted = args.filter((each) => !['root', 'user', '-u', '-v'].includes(each))
const fits = (name: string, number: number): boolean =>
  wanted.length === 0 ||
  wanted.some((each) => each === String(number) || (!/^\d+$/.test(each) && name.includes(each)))
const names = allTries.flatMap(({ class: number, tries }) =>
  tries.map(({ name }) => name).filter((name) => fits(name, number)),
)
const outcomes = await Promise.all(
  (users.length > 0 ? users : (['root', 'user'] as const)).map((user) =>
    runTries(user, names, {
      isUnguarded,
      onOutcome: ({ class: number, name, escapes, control, skipped, ms, seen }) => {
        const state = skipped ? `skipped (${skipped})` : escapes.length > 0 ? 'THROUGH' : 'held'
        console.log(
          `${user} ${number} ${state} ${ms} ms: ${name}${control ? `\n    CONTROL ${control}` : ''}`,
        )
        for (const each of escapes.slice(0, 6)) console.log(`    ${each}`)
        if (args.includes('-v')) console.log(seen.replaceAll(/^/gm, '    | '))
      },
    }),
  ),
)
console.log(tableOf(outcomes.flat()))
