/** What a run of tries comes to: the lines a test compares with none, and one line per class for the statistics. */
import { allTries } from './tries/all.ts'
import { classes, type ClassNumber, type Outcome, type Try, type User } from './try.ts'
import { seededSlice } from '../../support/seed.ts'

/** What must be empty: what got through, and harmless neighbours that do not work. */
export const failuresOf = (outcomes: readonly Outcome[]): readonly string[] =>
  outcomes.flatMap(({ class: number, user, name, escapes, control }) => [
    ...escapes.slice(0, 3).map((escape) => `${number} as ${user}, ${name}: ${escape}`),
    ...(control === undefined ? [] : [`${number} as ${user}, ${name}: the control: ${control}`]),
  ])

export const tableOf = (outcomes: readonly Outcome[]): string =>
  [
    'class  tries  through  control failed  skipped  ms (median)',
    ...Object.entries(classes).map(([number, title]) =>
      lineOf(Number(number) as ClassNumber, title, outcomes),
    ),
  ].join('\n')

function lineOf(number: ClassNumber, title: string, outcomes: readonly Outcome[]): string {
  const own = outcomes.filter((each) => each.class === number)
  const made = own.filter(({ skipped }) => skipped === undefined)
  const through = made.filter(({ escapes }) => escapes.length > 0).length
  const failed = made.filter(({ control }) => control !== undefined).length
  const times = made.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const median = times[Math.floor(times.length / 2)] ?? 0
  const cells = [made.length, through, failed, own.length - made.length, median]
  const widths = [7, 9, 16, 9, 13]
  const row = cells.map((cell, index) => String(cell).padStart(widths[index] ?? 0)).join('')
  return `${String(number).padStart(5)}${row}  ${title}`
}

export const namesOf = (fits: (one: Try) => boolean = () => true): readonly string[] =>
  allTries.flatMap(({ tries }) => tries.filter(fits).map(({ name }) => name))

/** A few of every class, others for each user and seed; none that takes long. */
export const sliceOf = (user: User, perClass: number): readonly string[] =>
  allTries.flatMap(({ class: number, tries }) => {
    const quick = tries.filter(({ isSlow, users }) => !isSlow && (users?.includes(user) ?? true))
    return seededSlice(quick, perClass, `escape ${number} as ${user}`).map(({ name }) => name)
  })
