import { describe, expect, test } from 'vitest'
import { fromTail, tailOf } from '../../../src/nano/project/tail.ts'
import { withinClause, withWholeTexts } from '../../../src/nano/calls/whole-text.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const lines = [{ path: 'stock.csv', number: 1, text: 'Clutch kit, 3' }]

const whole = (request: string, name: string, input: Record<string, unknown>): unknown =>
  withWholeTexts({ name, input }, request, lines).input

describe('a text is taken to its end', () => {
  const written = (request: string, content: string): unknown =>
    whole(request, 'write_file', { path: 'a.txt', content })

  test.each([
    ['a.txt with the text: Mary, please confirm. Then list', 'Mary', 'Mary, please confirm'],
    [
      'add to a.txt: grahams - canal rd, acct 7, shuts 5',
      'grahams - canal rd',
      'grahams - canal rd, acct 7, shuts 5',
    ],
    ['make a.txt saying Dear Cobb, it leaks. Pray come.', 'Dear Cobb', 'Dear Cobb, it leaks. Pray come.'],
    ['make a.txt with: june 21, bring buckets. and show me', 'june 21', 'june 21, bring buckets'],
    [
      'write into a.txt: hall owner, 3,000 per day, capacity 150',
      'hall owner',
      'hall owner, 3,000 per day, capacity 150',
    ],
    ['a.txt: saved us hours - tom beck', 'saved us hours', 'saved us hours - tom beck'],
    ['end of a.txt: - bump crc to 3.2.1', '- bump crc', '- bump crc to 3.2.1'],
    ['make a.txt with two lines, first zip it, second post it', 'two lines', 'zip it\npost it'],
    ['a.txt please, first line bring cash second line: call Ann', 'bring cash', 'bring cash\ncall Ann'],
  ])('%s', (request, content, wanted) => {
    expect(written(request, content)).toEqual({ path: 'a.txt', content: wanted })
  })

  test.each([
    ['add the line done to a.txt', 'done'],
    ['append a row: x,y to a.txt', 'x,y'],
    ['create a.txt with the text hello and search for the word "bye" in b.txt', 'hello'],
    ['make a.txt with "hello" and add "- call" to b.txt', 'hello'],
    ['append to a.txt: use it as the next line', 'use it as the next line'],
    ['add to a.txt milk', 'milk'],
    ['add my number 555 to a.txt', '555'],
    ['write milk to a.txt', 'milk'],
    ['make b.txt with red. then add a line to it: blue', 'red'],
    ['add the first line of the list to a.txt, on second thought milk', 'milk'],
  ])('and begins where it did: %s', (request, content) => {
    expect(written(request, content)).toEqual({ path: 'a.txt', content })
  })

  test.each([
    ['replace wed 8.00 - 17.30 with wed closed and show me', 'wed', 'wed closed'],
    ['replace wed 8.00 - 17.30 with shut everywhere', 'shut', 'shut'],
    ['replace wed 8.00 - 17.30 with shut in hours.txt', 'shut', 'shut'],
  ])('%s', (request, said, wanted) => {
    const edit = { path: 'hours.txt', old: 'wed 8.00 - 17.30', new: said }

    expect(whole(request, 'edit_file', edit)).toEqual({ ...edit, new: wanted })
  })

  test.each([
    ['which files say clutch kit', 'clutch', 'clutch kit'],
    ['which files say clutch today', 'clutch', 'clutch'],
    ['where is clutch kit sold', 'clutch', 'clutch kit'],
  ])('%s', (request, pattern, wanted) => {
    expect(whole(request, 'search_text', { pattern })).toEqual({ pattern: wanted })
  })
})

describe('a text ends with its part of the request', () => {
  test.each([
    ['write a.txt with: open at 10.', 'open at 10. And add b', 'open at 10'],
    ['write a.txt with: open at 10.', 'open at 10', 'open at 10'],
    ['write a.txt with what follows', 'closed on Monday', 'closed on Monday'],
  ])('%s', (clause, content, wanted) => {
    const call = { name: 'write_file', input: { path: 'a.txt', content } }

    expect(withinClause(call, clause).input['content']).toBe(wanted)
  })
})

test('a command ends with its word', () => {
  const ran = (command: string): unknown =>
    whole('bin/rails db:migrate - go ahead', 'run_command', { command })

  expect(ran('bin/rails db')).toEqual({ command: 'bin/rails db:migrate' })
  expect(ran('bin/rails db:migrate')).toEqual({ command: 'bin/rails db:migrate' })
})

describe('the last lines of a file', async () => {
  const files = createFiles({ root: await tempProject({ 'a.log': '1\n2\n3\n4\n5\n6\n7\n' }) })
  const read = { name: 'read_file', input: { path: 'a.log' } }

  test.each([
    ['the last 3 lines of a.log', 3],
    ['last five lines please', 5],
    ['show the very last line', 1],
    ['tail -n 4 a.log', 4],
    ['the last few lines', undefined],
    ['when did we last change lines', undefined],
  ])('%s', (clause, count) => {
    expect(tailOf(clause)).toBe(count)
  })

  test('are read from where they begin', async () => {
    expect(await fromTail(read, 'the last 3 lines', files)).toEqual({
      name: 'read_file',
      input: { path: 'a.log', from: 5 },
    })
    expect(await fromTail(read, 'the last 30 lines', files)).toEqual(read)
    expect(await fromTail(read, 'show a.log', files)).toEqual(read)
  })
})
