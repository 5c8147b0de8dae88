import { test } from 'vitest'
import { oddStrings } from '../server/odd-strings.ts'
import { runs } from '../support/runs.ts'
import { seededSlice } from '../support/seed.ts'
import { sayInApp, sayThroughServer } from './strings.ts'

const all = oddStrings()
const some = seededSlice(all, runs(100, all.length), 'odd strings')

test('a hundred odd strings, in the soak all, as content, tool, argument, file and title break no run and no terminal', () =>
  sayInApp(some))

test('a hundred odd strings, in the soak all, come through the server as they were', () =>
  sayThroughServer(some))
