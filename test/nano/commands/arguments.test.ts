import { expect, test } from 'vitest'
import { acceptsOf } from '../../../src/nano/commands/accepts.ts'
import { commandsFor } from '../../../src/nano/commands/candidates.ts'
import { createPathProject } from '../../../src/nano/paths/project.ts'

const texts = {
  Makefile: 'ENV ?= dev\nlag:\n\tbash scripts/lag.sh $(ENV)\nclean:\n\trm -rf out\n',
  justfile: "flash board='rev_b':\n    bash scripts/flash.sh {{board}}\n",
  'README.md': 'Run it:\n\n    $ python3 scripts/quote.py flyers 500\n',
  'takings/takings.py': 'import sys\nmonth = sys.argv[1]\nopen(f"takings/{month}.csv")\n',
  'takings/april.csv': 'day,sum\n',
  'scripts/quote.py': 'import sys\nproduct = sys.argv[1]\nquantity = sys.argv[2]\n',
  'scripts/rotate.sh': 'host="$1"\n',
  'scripts/report.py':
    'import argparse\np = argparse.ArgumentParser()\np.add_argument("year")\np.add_argument("--csv", action="store_true")\np.add_argument("--ward")\n',
  'scripts/count.py': 'print(1)\n',
  'data/products.json': '[]\n',
  'logs/enricher-2025-04.log': '\n',
  'tests/test_cart.py': 'def test_cart(): pass\n',
}
const project = createPathProject(Object.keys(texts), new Map(Object.entries(texts)))

const commandsIn = (clause: string, ran?: string): string[] =>
  commandsFor({ clause, project, recent: [], ...(ran !== undefined && { ran }) }).map(
    ({ command }) => command,
  )

test.each([
  ['do the takings for april with the script', 'python3 takings/takings.py april'],
  ['run the quote for 1000 flyers', 'python3 scripts/quote.py flyers 1000'],
  ['rotate nm-ro-8', 'bash scripts/rotate.sh nm-ro-8'],
  ['the report of 2025 as csv', 'python3 scripts/report.py 2025 --csv'],
  ['report for ward paeds', 'python3 scripts/report.py --ward paeds'],
  ['run the lag for staging', 'make lag ENV=staging'],
  ['flash rev_c', 'just flash rev_c'],
  ['how many lines is products.json? wc -l', 'wc -l data/products.json'],
  ['how big is the logs folder, du -sh', 'du -sh logs'],
  ['wc -l on the enricher log', 'wc -l logs/enricher-2025-04.log'],
  ['count the lines of the products', 'wc -l data/products.json'],
  ['run rotate.sh web1', 'bash scripts/rotate.sh web1'],
  ['pytest on the cart tests', 'python3 -m pytest tests/test_cart.py'],
])('%s', (clause, command) => {
  expect(commandsIn(clause)).toContain(command)
})

test('another value is given to what was run before', () => {
  expect(commandsIn('and then for staging', 'make lag ENV=dev')).toContain('make lag ENV=staging')
  expect(commandsIn('then cards 500', 'python3 scripts/quote.py flyers 500')).toContain(
    'python3 scripts/quote.py cards 500',
  )
  expect(commandsIn('and then for staging')).not.toContain('make lag ENV=staging')
})

test('a program that reads files is not run without the one that is named', () => {
  expect(commandsIn('how big is the logs folder, du -sh')).not.toContain('du -sh')
  expect(commandsIn('how much room does all this take? du -sh')).toContain('du -sh')
})

test('what a script takes is read from its text and from where it is called', () => {
  expect(acceptsOf('scripts/quote.py', project)).toMatchObject({
    most: 2,
    shown: ['word number'],
    name: 'product',
  })
  expect([...acceptsOf('scripts/report.py', project).flags]).toEqual([
    ['--csv', false],
    ['--ward', true],
  ])
  expect(acceptsOf('scripts/count.py', project).most).toBe(0)
})
