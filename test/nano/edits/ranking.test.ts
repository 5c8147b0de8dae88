import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createPathProject } from '../../../src/nano/paths/project.ts'
import { loadOpinions } from '../../../src/nano/opinion/load.ts'
import { createPathIndex } from '../../../src/nano/paths/named.ts'

const opinions = await loadOpinions(
  fileURLToPath(new URL('../../../models/covey-nano.opinion.br', import.meta.url)),
)

const texts = new Map([
  ['config/kiosk.ini', '[books]\nloan_days = 21\n\n[dvds]\nloan_days = 7\nrenewals = 1\n'],
  ['stock.csv', 'item,shelf,count,status\nglue,A1,4,open\nchalk,B2,9,closed\ntape,B3,2,open\n'],
  ['todo.md', '# To do\n- [ ] Order chalk\n- [ ] Call the plumber\n'],
  ['README.md', '# Classroom\nOpen Monday to Friday\n'],
])
const project = { texts, index: createPathIndex([...texts.keys()]) }

const best = (clause: string): unknown => {
  const [first] = opinions.edits({ clause, project, recent: [] })
  return first && [first.path, first.number, first.after]
}

describe('the line that a clause wants changed', () => {
  test.each([
    ['set renewals to 3', ['config/kiosk.ini', 6, 'renewals = 3']],
    ['in the dvds section of kiosk.ini set loan_days to 14', ['config/kiosk.ini', 5, 'loan_days = 14']],
    ['change the count of tape to 12 in stock.csv', ['stock.csv', 4, 'tape,B3,12,open']],
    ['tick order chalk in todo.md', ['todo.md', 2, '- [x] Order chalk']],
    ['remove the line about the plumber from todo.md', ['todo.md', 3, '']],
    ['in the README change Friday to Thursday', ['README.md', 2, 'Open Monday to Thursday']],
  ])('%s', (clause, wanted) => {
    expect(best(clause)).toEqual(wanted)
  })
})

test('shares of all outcomes add up to one', () => {
  const ranked = opinions.edits({ clause: 'set renewals to 3', project, recent: [] })

  expect(ranked.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
})

test('a project without text has nothing to change', () => {
  const none = { texts: new Map<string, string>(), index: createPathIndex([]) }

  expect(opinions.edits({ clause: 'set renewals to 3', project: none, recent: [] })).toEqual([])
})

test('an order to run something differs from a question about it', () => {
  const empty = createPathProject([], new Map())

  const order = opinions.action('run make test', { project: empty })
  const question = opinions.action('should I run make test before lunch?', { project: empty })

  expect(order.get('run')).toBeGreaterThan(0.8)
  expect(question.get('no')).toBeGreaterThan(0.8)
})
