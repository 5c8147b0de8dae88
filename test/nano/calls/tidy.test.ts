import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/nano/decide.ts'
import { inAllPlaces, tidy } from '../../../src/nano/calls/tidy.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const files = createFiles({
  root: await tempProject({
    'contacts.csv': 'Mumbua,Chairlady\nNdinda,Chairlady\nOtieno,CHAIR\n',
    'slogan.txt': 'old words\nmore\n',
    'empty.txt': '',
  }),
})

const calling = (name: string, input: Record<string, unknown>): Decision => ({
  kind: 'call',
  call: { name, input },
})

const project = ['pages/site.j2', 'data/a.jsonl', 'src/PayTest.java', 'src/Pay.java', 'templates/x.txt']

const tidied = (name: string, input: Record<string, unknown>, request: string): Promise<Decision> =>
  tidy(calling(name, input), { request, clause: request, lines: [], paths: [], project, steps: [], files })

describe('an edit takes the letters of the file', () => {
  test('where the request spelled the old text in small letters', async () => {
    const edit = { path: 'contacts.csv', old: 'mumbua', new: 'wanza' }

    expect(await tidied('edit_file', edit, 'mumbua is wanza now')).toEqual(
      calling('edit_file', { path: 'contacts.csv', old: 'Mumbua', new: 'Wanza' }),
    )
  })

  test('but fills in what is left open as it was said', async () => {
    const files = createFiles({ root: await tempProject({ 'a.yaml': 'robot: NAME\n' }) })
    const call = calling('edit_file', { path: 'a.yaml', old: 'name', new: 'hopper' })
    const clause = 'set the name to hopper'
    const place = { request: clause, clause, lines: [], paths: [], project: [], steps: [], files }

    expect(await tidy(call, place)).toEqual(
      calling('edit_file', { path: 'a.yaml', old: 'NAME', new: 'hopper' }),
    )
  })

  test('and changes every place where that was said', async () => {
    const edit = { path: 'contacts.csv', old: 'chairlady', new: 'chairperson' }

    expect(await tidied('edit_file', edit, 'replace chairlady by chairperson everywhere')).toEqual(
      calling('edit_file', { path: 'contacts.csv', old: 'Chairlady', new: 'Chairperson', all: true }),
    )
    expect(await tidied('edit_file', edit, 'replace chairlady by chairperson')).toEqual(
      calling('edit_file', { path: 'contacts.csv', old: 'Chairlady', new: 'Chairperson' }),
    )
  })

  test('and asks where it occurs more than once and one was not named', async () => {
    const edit = { path: 'contacts.csv', old: 'Chairlady', new: 'Chairperson' }

    expect(await tidied('edit_file', edit, 'put Chairperson for Chairlady')).toMatchObject({
      kind: 'guess',
      why: 'The built-in model guessed this: the text occurs more than once',
      isLikely: false,
    })
  })

  test('not where the old text is there as it was spelled', async () => {
    const edit = { path: 'contacts.csv', old: 'CHAIR', new: 'head' }

    expect(await tidied('edit_file', edit, 'CHAIR to head')).toEqual(calling('edit_file', edit))
  })
})

describe('a file that is there', () => {
  test('is replaced only after a question, which shows what goes and what comes', async () => {
    for (const flags of [{}, { overwrite: true }])
      expect(await tidied('write_file', { path: 'slogan.txt', content: 'new', ...flags }, 'x')).toEqual({
        kind: 'guess',
        call: { name: 'edit_file', input: { path: 'slogan.txt', old: 'old words\nmore', new: 'new' } },
        why: 'The built-in model guessed this: it replaces what is there',
        isLikely: false,
        isBacked: false,
      })
  })

  test('is never likely to be replaced, however likely the call was', async () => {
    const call = { name: 'write_file', input: { path: 'slogan.txt', content: 'new' } }
    const likely: Decision = { kind: 'guess', call, why: 'why', isLikely: true }

    expect(
      await tidy(likely, { request: 'x', clause: 'x', lines: [], paths: [], project: [], steps: [], files }),
    ).toMatchObject({
      why: 'why',
      isLikely: false,
    })
  })

  test('is asked for although it is empty', async () => {
    expect(await tidied('write_file', { path: 'empty.txt', content: 'new' }, 'x')).toMatchObject({
      kind: 'guess',
      call: { name: 'write_file', input: { path: 'empty.txt', content: 'new', overwrite: true } },
    })
  })

  test('is appended to without one', async () => {
    const append = { path: 'slogan.txt', content: 'new', append: true }

    expect(await tidied('write_file', append, 'x')).toEqual(calling('write_file', append))
  })
})

test('a new file is written', async () => {
  const write = { path: 'new.txt', content: 'new' }

  expect(await tidied('write_file', write, 'x')).toEqual(calling('write_file', write))
})

test('a new name is in the old folder, unless the main one is spoken of', async () => {
  const copy = { from: 'docs/a.md', to: 'b.md' }

  expect(await tidied('copy_file', copy, 'copy docs/a.md as b.md')).toEqual(
    calling('copy_file', { from: 'docs/a.md', to: 'docs/b.md' }),
  )
  expect(await tidied('copy_file', copy, 'copy docs/a.md to the main folder as b.md')).toEqual(
    calling('copy_file', copy),
  )
})

describe('what is there is meant', () => {
  const paths = ['docs/', 'docs/ideas.txt', 'invoices/', 'invoices/inv_davis_118.txt', 'diary/2025/']
  const within = (name: string, input: Record<string, unknown>, request: string): Promise<Decision> =>
    tidy(calling(name, input), { request, clause: request, lines: [], paths, project: [], steps: [], files })

  test('a name without its folder', async () => {
    expect(await within('read_file', { path: 'ideas.txt' }, 'show ideas.txt')).toEqual(
      calling('read_file', { path: 'docs/ideas.txt' }),
    )
    expect(await within('write_file', { path: 'ideas.txt', content: 'x' }, 'make ideas.txt')).toEqual(
      calling('write_file', { path: 'ideas.txt', content: 'x' }),
    )
    expect(await within('list_files', { path: '.' }, 'list everything')).toEqual(
      calling('list_files', { path: '.' }),
    )
  })

  test('a pattern that a file has in its name', async () => {
    const request = 'Find the Davis invoice'

    expect(await within('find_files', { pattern: '**/*invoice*' }, request)).toEqual(
      calling('find_files', { pattern: '**/*davis*' }),
    )
    expect(await within('find_files', { pattern: '**/*davis*' }, request)).toEqual(
      calling('find_files', { pattern: '**/*davis*' }),
    )
  })

  test('a new folder in the one that is named behind it', async () => {
    expect(
      await within('make_folder', { path: 'photos' }, 'make a folder called photos inside diary/2025 please'),
    ).toMatchObject({ kind: 'guess', isLikely: false, call: { input: { path: 'diary/2025/photos' } } })
    expect(await within('make_folder', { path: 'photos' }, 'make a folder photos in case')).toEqual(
      calling('make_folder', { path: 'photos' }),
    )
  })
})

describe('a text that occurs more than once', async () => {
  const project = createFiles({
    root: await tempProject({ 'quilt.txt': 'Kona Snow\nback: Kona Snow\nRed\n' }),
  })
  const edit = (old: string, written: string): Decision => ({
    kind: 'call',
    call: { name: 'edit_file', input: { path: 'quilt.txt', old, new: written } },
  })

  test('is replaced everywhere, and asked for', async () => {
    expect(await inAllPlaces(edit('Kona Snow', 'Kona White'), project)).toMatchObject({
      kind: 'guess',
      isLikely: false,
      call: { input: { old: 'Kona Snow', new: 'Kona White', all: true } },
    })
  })

  test('is not removed everywhere, nor is another one', async () => {
    const removed = edit('Kona Snow', '')
    const other = edit('Red', 'Blue')

    expect(await inAllPlaces(removed, project)).toBe(removed)
    expect(await inAllPlaces(other, project)).toBe(other)
  })
})

describe('files are found by their type', () => {
  test.each([
    ['find all j2 templates', '**/*templates*', '**/*.j2'],
    ['which jsonl files are there in the repo?', 'jsonl', '**/*.jsonl'],
    ['every file which ends with Test.java', '**/Test.java', '**/*Test.java'],
    ['find the templates', '**/*templates*', '**/*templates*'],
    ['find Pay.java', '**/Pay.java', '**/Pay.java'],
    ['is there a java class for pay', '**/*pay*', '**/*pay*'],
  ])('%s', async (request, said, pattern) => {
    expect(await tidied('find_files', { pattern: said }, request)).toEqual(calling('find_files', { pattern }))
  })
})

describe('a name as a program has it', () => {
  test.each([['E-17'], ['get_lr_sched'], ['readRows'], ['fmt()']])(
    'is looked for as it stands: %s',
    async (query) => {
      expect(await tidied('search_code', { query }, `where is ${query}`)).toEqual(
        calling('search_text', { pattern: query }),
      )
    },
  )

  test('but words are looked for by their meaning', async () => {
    const query = 'where the session is opened'

    expect(await tidied('search_code', { query }, query)).toEqual(calling('search_code', { query }))
  })
})
