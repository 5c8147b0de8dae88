import { expect, test } from 'vitest'
import { contentCandidates } from '../../../src/nano/contents/ranking.ts'
import { lookOfFile } from '../../../src/nano/contents/look.ts'

const mayBe = (clause: string, path: string, text?: string): string[] =>
  contentCandidates({ clause, path, text: text ?? '', action: text === undefined ? 'write' : 'append' }).map(
    ({ content }) => content,
  )

const topics =
  'name,partitions,retention_h,owner\norders,12,72,checkout\nclicks,36,24,web\nclicks.dlq,3,24,web\n'

test.each([
  ['add clay x2 to the order list', 'order.txt', '- capes x4\n- combs x9\n', '- clay x2'],
  [
    'put buy rosin at the bottom of my to-do',
    'todo.md',
    '- [ ] plasters\n- [x] insurance\n',
    '- [ ] buy rosin',
  ],
  ['as number 3: Sunday trims', 'captions.txt', '1. Hot towel\n2. Weddings\n', '3. Sunday trims'],
  ['and Ziggy onto the end', 'bronze.yaml', 'swimmers:\n  - Archie\n  - Gigi\n', '  - Ziggy'],
  [
    'for the pics list: mo.jpg, not used',
    'pics.txt',
    'a.jpg - used\nb.jpg - not used\n',
    'mo.jpg - not used',
  ],
  [
    'add orders.returns to topic list: 6 partitions, 48h, owner checkout',
    'topics.csv',
    topics,
    'orders.returns,6,48,checkout',
  ],
  [
    'Ibarra, 11-555, she goes at the end',
    'list.csv',
    'name,phone\nMele,11-554\nRuiz,11-553\n',
    'Ibarra,11-555',
  ],
  [
    'add Toni 49 on 8 june',
    'june.csv',
    'date,animal,kg\n2024-06-04,Huxley,9\n2024-06-05,Gus,8\n',
    '2024-06-08,Toni,49',
  ],
  ['add clay x6 (Digbeth', 'order.txt', '- capes x4\n- combs x9\n', '- clay x6 (Digbeth)'],
])('%s', (clause, path, text, wanted) => {
  expect(mayBe(clause, path, text)).toContain(wanted)
})

test.each([
  ['start july.md with nothing but the heading, # July, the rest comes later', '# July'],
  ['create .gitignore with node_modules, dist and .env, one per line', 'node_modules\ndist\n.env'],
  ['june.csv please, top line week,sum and under it 2024-06-01,2877', 'week,sum\n2024-06-01,2877'],
  ['make a.md with "- run" and "- build"', '- run\n- build'],
  ['make an empty a.txt', ''],
])('a new file: %s', (clause, wanted) => {
  expect(mayBe(clause, 'a.txt')).toContain(wanted)
})

test('a file looks like its last lines, and its marker is that of the next one', () => {
  const { marker, table } = lookOfFile('# Steps\n\n1. stop\n2. wait\n')

  expect({ marker, table }).toEqual({ marker: { kind: 'number', text: '3. ' }, table: undefined })
  expect(lookOfFile(topics).table?.columns.map(({ head, shape }) => [head, shape])).toEqual([
    ['name', 'word'],
    ['partitions', 'number'],
    ['retention_h', 'number'],
    ['owner', 'word'],
  ])
})
