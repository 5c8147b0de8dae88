import { test } from 'vitest'
import { controls, drawAll, steering } from './naughty.ts'

test('every control character and what steers a terminal: nothing is obeyed, the box stays in its place', () =>
  drawAll([...controls, ...steering], [80, 24]))
