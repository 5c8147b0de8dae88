import { test } from 'vitest'
import { oddStrings } from '../server/odd-strings.ts'
import { sayInApp, sayThroughServer } from './strings.ts'

const some = oddStrings().filter((_, index) => index % 40 === 0)

test('some odd strings as content, tool, argument, file and title break no run and no terminal', () =>
  sayInApp(some))

test('some odd strings come through the server as they were', () => sayThroughServer(some))
