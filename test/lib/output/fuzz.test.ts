import { test } from 'vitest'
import { checkCuts, checkMixed, checkTime } from './fuzz.ts'

test('output that ends or begins anywhere is shown within its room', () => checkCuts(3, 1))

test('output of two tools, line by line at random, is shown within its room', () => checkMixed(9))

test('time grows with the length of the output', () => checkTime(60))
