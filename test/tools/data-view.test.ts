import { execFileSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { describe, expect, test } from 'vitest'
import { createFirewall } from '../../src/guard/secrets/firewall.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import { dataViewTool } from '../../src/tools/data-view.ts'
import { childProgram } from '../support/child.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { callTool } from './call.ts'
import { runs } from '../support/runs.ts'

const PEOPLE =
  'id,name,amount,since,active\n1,"Ann, A.",2.5,2024-01-02,true\n2,Bob,,2024-03-04,false\n3,Ann,7.5,,true\n'

async function view(
  files: Record<string, string | Uint8Array>,
  input: Record<string, string> = {},
): Promise<string> {
  const [path = ''] = Object.keys(files)
  const { text } = await callTool(dataViewTool, { path, ...input }, toolContext(await tempProject(files)))
  return text
}

describe('views', () => {
  test('head: the first rows', async () => {
    expect(await view({ 'a.csv': PEOPLE })).toBe(
      [
        'id | name | amount | since | active',
        '1 | Ann, A. | 2.5 | 2024-01-02 | true',
        '2 | Bob |  | 2024-03-04 | false',
        '3 | Ann | 7.5 |  | true',
      ].join('\n'),
    )
  })

  test('head says when there are more', async () => {
    const rows = Array.from({ length: 20 }, (_, index) => `${index},x\n`).join('')

    const text = await view({ 'a.csv': `n,m\n${rows}` })

    expect(text).toMatch(/^n \| m\n0 \| x\n[^]*\n9 \| x\n\[first 10 rows; shape counts them\]$/)
  })

  test('tail: the last rows', async () => {
    const rows = Array.from({ length: 20 }, (_, index) => `${index},x\n`).join('')

    const text = await view({ 'a.csv': `n,m\n${rows}` }, { view: 'tail' })

    expect(text).toMatch(/^n \| m\n10 \| x\n[^]*\n19 \| x\n\[last of 20 rows\]$/)
  })

  test('shape', async () => {
    expect(await view({ 'a.csv': PEOPLE }, { view: 'shape' })).toBe(
      `3 rows, 5 columns, ${PEOPLE.length} bytes, CSV with ","`,
    )
  })

  test('columns', async () => {
    expect(await view({ 'a.csv': PEOPLE }, { view: 'columns' })).toBe(
      [
        'id: integer, such as 1',
        'name: text, such as Ann, A.',
        'amount: number, such as 2.5',
        'since: date, such as 2024-01-02',
        'active: boolean, such as true',
      ].join('\n'),
    )
  })

  test('describe', async () => {
    expect(await view({ 'a.csv': PEOPLE }, { view: 'describe' })).toBe(
      [
        '3 rows',
        'id: integer, 0 null, 3 distinct, min 1, max 3, mean 2',
        'name: text, 0 null, 3 distinct, min "Ann", max "Bob"',
        'amount: number, 1 null, 2 distinct, min 2.5, max 7.5, mean 5',
        'since: date, 1 null, 2 distinct, min "2024-01-02", max "2024-03-04"',
        'active: boolean, 0 null, 2 distinct, min "false", max "true"',
      ].join('\n'),
    )
  })

  test('an unknown one is named together with those there are', async () => {
    await expect(view({ 'a.csv': PEOPLE }, { view: 'plot' })).rejects.toThrow(
      'There is no view "plot"; there are head, tail, shape, columns, describe.',
    )
  })
})

describe('formats', () => {
  test.each([
    ['a.csv', '\uFEFFa;b\r\n1,5;"x\r\ny"\r\n', 'a | b\n1,5 | "x\\r\\ny"'],
    ['a.tsv', 'a\tb\n1\t2\n', 'a | b\n1 | 2'],
    ['a.txt', '1,2\n3,4\n', 'column1 | column2\n1 | 2\n3 | 4'],
    [
      'a.json',
      '[{"a": 1, "b": [1, {"c": "]"}]},\n {"a": null, "d": "x"}]',
      'a | b | d\n1 | [1,{"c":"]"}] | \n |  | x',
    ],
    ['a.json', '{"a": "\\"}"}', 'a\n"}'],
    ['a.json', '[1, "two", [3]]', 'value\n1\ntwo\n[3]'],
    ['a.jsonl', '{"a":1}\n\n{"a":2}\n', 'a\n1\n2'],
    ['a.csv', '', 'a.csv has no rows.'],
    ['a.jsonl', '\n\n', 'a.jsonl has no rows.'],
    ['a.csv', ',a,b\n0,1,2\n', 'column1 | a | b\n0 | 1 | 2'],
    ['a.csv', 'id,n,n\n1,2,3\n', 'id | n | n\n1 | 2 | 3'],
    ['a.csv', 'yes,yes\nno,yes\n', 'column1 | column2\nyes | yes\nno | yes'],
    ['a.json', '[{"a":1},', 'a\n1\n[the file ends before its list does: something is missing]'],
    ['a.csv', ',,\n1,2,3\n', 'column1 | column2 | column3\n |  | \n1 | 2 | 3'],
    ['a.csv', 'a,b\r1,"x\ry"\r', 'a | b\n1 | "x\\ny"'],
    ['a.json', '\uFEFF[{"a": 1}]', 'a\n1'],
    ['a.jsonl', '\uFEFF{"a":1}\r\n{"a":2}\r\n', 'a\n1\n2'],
  ])('%s %j', async (name, content, expected) => {
    expect(await view({ [name]: content })).toBe(expected)
  })

  test('UTF-16 is read too', async () => {
    expect(await view({ 'a.csv': Buffer.from('\uFEFFa,b\n1,ü\n', 'utf16le') })).toBe('a | b\n1 | ü')
  })

  test('a text of JSON is a text, also one of digits', async () => {
    const text = await view(
      { 'a.json': '[{"zip": "01234", "n": 1}, {"zip": "5", "n": 2.5}]' },
      { view: 'columns' },
    )

    expect(text).toBe('zip: text, such as 01234\nn: number, such as 1')
  })

  test('whole numbers are exact, and what only looks like a number is a text', async () => {
    const rows = ['t,id,hex,big,f', '1700000000123,12345678901234567890,0x1F,1e400,0.1', '2,007,0x2F,1e5,0.2']

    expect(await view({ 'a.csv': `${rows.join('\n')}\n` }, { view: 'describe' })).toBe(
      [
        '2 rows',
        't: integer, 0 null, 2 distinct, min 2, max 1700000000123, mean 850000000063',
        'id: text, 0 null, 2 distinct, min "007", max "12345678901234567890"',
        'hex: text, 0 null, 2 distinct, min "0x1F", max "0x2F"',
        'big: text 50 %, number 50 %, 0 null, 2 distinct, min 100000, max 100000, mean 100000',
        'f: number, 0 null, 2 distinct, min 0.1, max 0.2, mean 0.15',
      ].join('\n'),
    )
  })

  test('a column that turns up late was empty before', async () => {
    const rows = ['{"a":1}', '{"a":2}', '{"a":3,"b":"x"}'].join('\n')

    expect(await view({ 'a.jsonl': rows }, { view: 'describe' })).toContain('b: text, 2 null, 1 distinct')
  })
})

describe('broken files', () => {
  test('rows with another number of fields are counted', async () => {
    expect(await view({ 'a.csv': 'a,b\n1,2\n3\n4,5,6\n' }, { view: 'shape' })).toMatch(
      /^3 rows, 2 columns.*\n\[2 rows \(the first is row 2\): another number of fields than there are columns\]$/,
    )
  })

  test('a quote that is never closed is reported', async () => {
    expect(await view({ 'a.csv': 'a,b\n1,"2\n3,4\n' }, { view: 'shape' })).toContain('never closed')
  })

  test('a broken line of JSON Lines spoils no other', async () => {
    expect(await view({ 'a.jsonl': '{"a":1}\n{"a":\n{"a":3}\n' }, { view: 'tail' })).toBe(
      'a\n1\n3\n[last of 2 rows]\n[1 row (the first is row 2): no JSON, or more than 1 MiB of it, and left out; python can read those]',
    )
  })

  test('ten thousand columns are cut, and the rest is looked at', async () => {
    const line = (cell: (at: number) => string) =>
      Array.from({ length: 10_000 }, (_, at) => cell(at)).join(',')
    const content = `${line((at) => `c${at}`)}\n${line(String)}\n${line(String)}\n`

    expect(await view({ 'a.csv': content }, { view: 'shape' })).toMatch(
      /^2 rows, 5000 columns, .*\n\[3 huge fields cut\]$/,
    )
    expect(await view({ 'a.csv': content })).toContain('[4970 more columns]')
    expect(await view({ 'a.csv': content }, { view: 'columns' })).toMatch(
      /^c0: integer, such as 0\nc1: integer/,
    )
  })

  test('one line of 12 MB is one row, of which the beginning is kept', async () => {
    const row = Array.from({ length: 1000 }, () => 'x'.repeat(12_000)).join(',')

    const text = await view({ 'a.csv': row }, { view: 'describe' })

    expect(text).toMatch(/^1 row\ncolumn1: text, 0 null, 1 distinct/)
    expect(text).toMatch(/column1000: empty.*\n\[\d+ huge fields? cut\]$/)
  })

  test('a value of JSON that is too large is left out, and the way to read it named', async () => {
    const content = JSON.stringify({ data: ['x'.repeat(2_000_000)] })

    expect(await view({ 'a.json': content })).toBe(
      '[1 row (the first is row 1): no JSON, or more than 1 MiB of it, and left out; python can read those]',
    )
  })

  test.each(['head', 'tail', 'columns', 'describe'])(
    'a value nested without end is one cell: %s',
    async (name) => {
      const content = `{"a":1}\n${'['.repeat(200_000)}${']'.repeat(200_000)}\n`

      expect(await view({ 'a.jsonl': content }, { view: name })).toMatch(/nested too deep|object/)
    },
  )

  test('a binary file is named', async () => {
    await expect(view({ 'a.csv': Buffer.from([0, 1, 2]) })).rejects.toThrow(/a.csv is a binary file/)
  })

  test('a secret file stays closed', async () => {
    await expect(view({ '.env': 'a,b\n1,2\n' })).rejects.toThrow(/may hold secrets/)
  })

  test('secrets in the rows are found when the result leaves', async () => {
    const root = await tempProject({ 'a.csv': 'user,key\nann,AKIAQYLPMN5HHHFPZAM2\n' })
    const firewall = createFirewall({ files: createFiles({ root }) })

    const { text } = await callTool(
      dataViewTool,
      { path: 'a.csv' },
      toolContext(root, { files: firewall.files }),
    )

    expect(await firewall.outgoing(text)).toMatch(/ann \| \[secret:/)
  })
})

describe('SQL', () => {
  // By variable: it is no dependency.
  const DUCKDB = '@duckdb/node-api'
  const require = createRequire(import.meta.url)
  const hasDuckdb = (() => {
    try {
      require.resolve(DUCKDB)
      return true
    } catch {
      return false
    }
  })()

  test.skipIf(hasDuckdb)('without DuckDB the message says how to get it', async () => {
    await expect(view({ 'a.csv': PEOPLE }, { sql: 'SELECT 1' })).rejects.toThrow(
      /npm install -g @duckdb\/node-api/,
    )
    await expect(view({ 'a.parquet': 'PAR1' })).rejects.toThrow(/Parquet need DuckDB/)
  })

  test.skipIf(!hasDuckdb)('a query sees the file and nothing else (needs @duckdb/node-api)', async () => {
    expect(await view({ 'a.csv': PEOPLE }, { sql: 'SELECT count(*) AS n FROM data' })).toBe('n\n3')
    for (const sql of [
      "SELECT * FROM read_csv('/etc/passwd')",
      "COPY data TO 'b.csv'",
      'SELECT 1; SELECT 2',
      "ATTACH 'x.db'",
    ]) {
      await expect(view({ 'a.csv': PEOPLE }, { sql })).rejects.toThrow()
    }
  })
})

const ROWS = runs(150_000, 1_000_000)

test('a large file is described in bounded memory', async () => {
  const root = await tempProject()
  const file = createWriteStream(join(root, 'big.csv'))
  file.write('id,name,amount\n')
  const line = (id: number): string => `${id},"name ${id % 1000}, and ${'x'.repeat(70)}",${id / 4}\n`
  for (let id = 0; id < ROWS; id += 1000) {
    file.write(Array.from({ length: 1000 }, (_, index) => line(id + index)).join(''))
  }
  await finished(file.end())

  const program = await childProgram(new URL('data-view/memory.ts', import.meta.url))
  const out = execFileSync(process.execPath, [program, root, 'big.csv', 'describe'], {
    encoding: 'utf8',
  })

  const { text, grownBytes } = JSON.parse(out) as { text: string; grownBytes: number }
  expect(text).toMatch(
    new RegExp(
      `^${ROWS} rows\nid: integer, 0 null, ~\\d+ distinct, min 0, max ${ROWS - 1}, mean ${(ROWS - 1) / 2}\n`,
    ),
  )
  expect(grownBytes).toBeLessThan(150 * 1024 * 1024)
})

test('different values of a small file are counted, not estimated', async () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => `${index},name ${index},${index % 7}`)

  const text = await view({ 'a.csv': `id,name,group\n${rows.join('\n')}\n` }, { view: 'describe' })

  expect(text.match(/~?\d+ distinct/g)).toEqual(['5000 distinct', '5000 distinct', '7 distinct'])
})
