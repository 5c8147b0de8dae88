import { describe, expect, test } from 'vitest'
import { fileURLToPath } from 'node:url'
import { loadOpinions } from '../../../src/nano/opinion/load.ts'
import { createPathProject } from '../../../src/nano/paths/project.ts'
import type { NanoSaid } from '../../../src/nano/opinion/verdict.ts'
import { moodPlaces } from '../../../src/nano/intent/mood-place.ts'
import type { PathRole } from '../../../src/nano/paths/signs.ts'
import type { TargetAction } from '../../../src/nano/paths/target-ranking.ts'

const opinions = await loadOpinions(
  fileURLToPath(new URL('../../../models/covey-nano.opinion.br', import.meta.url)),
)
const texts = new Map([
  ['README.md', '# Shop\n\nOpen from nine to five.\n'],
  ['todo.md', '- [ ] order paint\n- [ ] call the plumber\n'],
  ['stock/paint.csv', 'name,litres\nwhite,12\ncobalt,4\n'],
  ['stock/old/paint_2023.csv', 'name,litres\nwhite,2\n'],
  ['staff/rota_june.csv', 'day,who\nmonday,Sam\nfriday,Ines\n'],
  ['staff/rota_may.csv', 'day,who\nmonday,Ines\n'],
  ['logs/backup.log', 'backup done\n'],
  ['src/PriceTable.ts', 'export class PriceTable {}\n'],
  ['package.json', '{"scripts":{"test":"vitest","build":"tsc","lint":"oxlint"}}'],
  ['scripts/backup.sh', '# packs everything\ntar czf backup.tgz .\n'],
])
const project = createPathProject([...texts.keys()], texts)

describe('which path is meant', () => {
  test.each<[string, PathRole, string]>([
    ['show me the june rota', 'read', 'staff/rota_june.csv'],
    ['how many litres of cobalt are left?', 'read', 'stock/paint.csv'],
    ['open PriceTable', 'read', 'src/PriceTable.ts'],
    ['delete the 2023 paint list', 'delete', 'stock/old/paint_2023.csv'],
    ['list the stock folder', 'list', 'stock/'],
    ['what is in this folder', 'list', '.'],
    ['search for Ines', 'scope', '.'],
  ])('%s', (clause, role, wanted) => {
    const [best] = opinions.paths({ clause, role, project, recent: [] })

    expect(best?.value).toBe(wanted)
  })

  test('a later part is about what the last step made', () => {
    const [best] = opinions.paths({
      clause: 'then show it',
      role: 'read',
      project,
      recent: ['notes/new_list.txt'],
    })

    expect(best?.value).toBe('notes/new_list.txt')
  })
})

describe('where it goes', () => {
  test.each<[string, TargetAction, string | undefined, string]>([
    ['move rota_may.csv into stock/old', 'move', 'staff/rota_may.csv', 'stock/old/rota_may.csv'],
    ['copy rota_june.csv to rota_july.csv', 'copy', 'staff/rota_june.csv', 'staff/rota_july.csv'],
    ['make a folder staff/archive', 'mkdir', undefined, 'staff/archive'],
  ])('%s', (clause, action, from, wanted) => {
    const [best] = opinions.targets({ clause, action, project, recent: [], ...(from && { from }) })

    expect(best?.value).toBe(wanted)
  })
})

test.each([
  ['search for cobalt in the stock folder', 'cobalt'],
  ['where does "call the plumber" stand?', 'call the plumber'],
])('what is looked for: %s', (clause, wanted) => {
  const [best] = opinions.texts({ clause, project, recent: [] })

  expect(best?.value).toBe(wanted)
})

test.each([
  ['lint it please', 'npm run lint'],
  ['kick off the backup', 'bash scripts/backup.sh'],
  ['are the tests green? run them', 'npm test'],
  ['run git status --short', 'git status --short'],
  ['how full is the disk', 'df -h'],
])('what is to be run: %s', (clause, wanted) => {
  const [best] = opinions.commands({ clause, project, recent: [] })

  expect(best?.value).toBe(wanted)
})

describe('after nano has spoken, too', () => {
  const verdictOn = (request: string, said: Omit<NanoSaid, 'places'>): string | undefined => {
    const places = moodPlaces({ name: '', input: {} }, request)
    return opinions.verdict(opinions.action(request, { project }), { ...said, places })[0]?.value
  }

  test('a question that a line of the project answers is looked up, though nano refuses', () => {
    expect(
      verdictOn('how many litres of cobalt do we have', {
        action: 'no',
        reason: 'too-hard',
        sure: 0.8,
        moods: ['asked-about:hard'],
      }),
    ).toBe('read')
  })

  test('an order that both hear is carried out', () => {
    expect(verdictOn('delete logs/backup.log', { action: 'delete', sure: 0.99, moods: ['plain'] })).toBe(
      'delete',
    )
  })

  test('a remark behind an order is no prohibition', () => {
    expect(
      verdictOn('delete logs/backup.log, they NEVER look at it', {
        action: 'delete',
        sure: 0.98,
        moods: ['negated:soft', 'signs:1', 'wanted:true'],
      }),
    ).toBe('delete')
  })

  test('what nobody asked for is not done', () => {
    expect(
      verdictOn("please don't delete logs/backup.log", {
        action: 'no',
        reason: 'not-asked',
        sure: 0.99,
        moods: ['negated:hard'],
      }),
    ).toBe('no')
  })
})

describe('the parts of a request', () => {
  test.each([
    ['copy todo.md to done.md, port 8090 in there', ['copy todo.md to done.md', 'port 8090 in there']],
    ['run the tests, then lint', ['run the tests', 'then lint']],
    ['show me README.md and todo.md', ['show me README.md and todo.md']],
    ['which of them are old, and why?', ['which of them are old, and why?']],
  ])('%s', (request, parts) => {
    expect(opinions.parts(request, project)).toEqual(parts)
  })
})

describe('how far a call is trusted', () => {
  const grounds = { tool: 'run_command', written: 'same' as const, sure: 1, agreement: 1, support: 1 }
  const marks = ['likely:yes', 'backed:yes', 'order:yes', 'spelled:yes', 'typed:yes', 'plain']

  test('more where all agree', () => {
    const against = ['likely:no', 'order:no', 'spelled:no', 'doubtful:yes', 'asked-about:hard']
    const sure = opinions.trust({ ...grounds, marks })
    const unsure = opinions.trust({
      ...grounds,
      written: 'other',
      agreement: 0.3,
      support: 0.1,
      marks: against,
    })

    expect(sure).toBeGreaterThan(0.9)
    expect(unsure).toBeLessThan(0.5)
  })
})

describe('what is to be written', () => {
  const orders = '- capes x4\n- combs x9\n- oil\n'
  const topics =
    'name,partitions,retention_h,owner\norders,12,72,checkout\nclicks,36,24,web\nclicks.dlq,3,24,web\n'

  test.each([
    ['add clay x2 to the order list', 'order.txt', orders, '- clay x2'],
    [
      'put buy rosin at the bottom of my to-do',
      'todo.md',
      '- [ ] plasters\n- [x] insurance\n',
      '- [ ] buy rosin',
    ],
    [
      'add orders.returns to topic list: 6 partitions, 48h, owner checkout',
      'topics.csv',
      topics,
      'orders.returns,6,48,checkout',
    ],
    ['put 5,Ann as last line in a.csv', 'a.csv', 'no,name\n4,Bo\n', '5,Ann'],
    ['add ring Anna on monday to a.txt', 'a.txt', 'some text\n', 'ring Anna on monday'],
    ['for a.txt, please add 12,Mabel,check-up,yes', 'a.txt', 'some text\n', '12,Mabel,check-up,yes'],
    ['append a line to a.txt, the 2024-12 one: - licence expired', 'a.txt', orders, '- licence expired'],
    ['add "- call Ann" to the order list', 'order.txt', orders, '- call Ann'],
  ])('at the end of a file: %s', (clause, path, text, wanted) => {
    expect(opinions.contents({ clause, path, text, action: 'append' })[0]?.value).toBe(wanted)
  })

  test.each([
    ['make a.txt with these lines:\nNell: July\nJem: none asked', 'Nell: July\nJem: none asked'],
    ['make a.txt with a single line, namely "out/"', 'out/'],
    ['make a.txt, two lines: "- run" and "- build"', '- run\n- build'],
  ])('in a new file: %s', (clause, wanted) => {
    expect(opinions.contents({ clause, path: 'a.txt', text: '', action: 'write' })[0]?.value).toBe(wanted)
  })
})
