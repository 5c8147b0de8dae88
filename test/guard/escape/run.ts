/** By hand: `node --import tsx test/guard/escape/run.ts [root|user] [-u] [part of a name or class number...]`. */
import { allTries } from './tries/all.ts'
import { runTries } from './users.ts'
import type { User } from './try.ts'

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
await Promise.all(
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
