import { test } from 'vitest'
import { checkCuts, checkMixed, checkTime } from './fuzz.ts'
import { runs } from '../../support/runs.ts'

test('output of every tool that ends or begins anywhere is shown within its room', () =>
  checkCuts(1, runs(8, 20)))

test('output of any two tools, line by line at random, is shown within its room', () => checkMixed(1))

test('time grows with the length of the output, for every tool', () => checkTime(runs(6, 1)))
