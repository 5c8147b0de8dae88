import { test } from 'vitest'
import { oddStrings } from '../server/odd-strings.ts'
import { sayInApp, sayThroughServer } from './strings.ts'

test('515 odd strings as content, tool, argument, file and title break no run and no terminal', () =>
  sayInApp(oddStrings()))

test('515 odd strings come through the server as they were', () => sayThroughServer(oddStrings()))
