/** How an arm's edit form changes what it is shown, and that every form is understood whatever was shown. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../src/app/open.ts'
import { hashedLine, lineHash } from '../../src/lib/line-hash.ts'
import { editFormFor, sizeFromName } from '../../src/lib/model-size.ts'
import { toToolSchema } from '../../src/lib/schema.ts'
import { inForm } from '../../src/lib/tool-form.ts'
import { editForms } from '../../src/protocol/edit-form.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { editLines } from '../../src/tools/edit-lines.ts'
import { startModelServer, type ScriptedServerReply } from '../support/model-server.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome, ofType, promptAndCollect } from '../support/run.ts'

const call = (name: string, args: object): ScriptedServerReply => ({ calls: [{ name, arguments: args }] })

async function runIn(
  form: string,
  files: Record<string, string>,
  script: readonly ScriptedServerReply[],
  more: object = {},
) {
  const server = await startModelServer([...script, { text: 'Done.' }])
  onTestFinished(() => server.close())
  const folder = await tempProject(files)
  const here = { base_url: server.url, model: 'test-model', edit_form: form, window: 8192, ...more }
  const app = await createApp({
    env: await emptyHome(),
    cwd: folder,
    permission: 'bypass',
    incognito: true,
    probe: false,
    model: 'here',
    flags: { 'arms.here': here },
  })
  onTestFinished(() => app.close())
  const session = await app.openSession({ resume: 'new', canAsk: false })
  onTestFinished(() => session.close())
  const events = await promptAndCollect(session, { prompt: 'Change a.txt.' })
  const results = ofType(events, 'tool-end').map(({ ok, text }) => [ok, text] as const)
  const body = server.requests[0] as { tools?: { function: { name: string; parameters: object } }[] }
  return { folder, results, requests: server.requests, tools: body.tools?.map((tool) => tool.function) ?? [] }
}

const at = (text: string, number: number): string => `${number}${lineHash(text)}`

test('the size of a model chooses its form: whole files below two billion parameters', () => {
  const names = [
    'qwen2.5-coder-0.5b',
    'qwen3:1.7b',
    'llama3.2:3b',
    'qwen2.5-coder:7b',
    'gpt-5',
    'smollm2-360m',
  ]

  expect(names.map((name) => editFormFor(sizeFromName(name)))).toEqual([
    'whole',
    'whole',
    'search',
    'search',
    'search',
    'whole',
  ])
})

test('in every form no tool costs more than 80 tokens', () => {
  const tools = builtinTools({ list: () => [] })
  const costs = editForms.flatMap((form) =>
    tools.map(
      (tool) =>
        encode(JSON.stringify({ type: 'function', function: toToolSchema(inForm(tool, form)) })).length,
    ),
  )

  expect(Math.max(...costs)).toBeLessThanOrEqual(80)
})

describe('whole files', () => {
  test('are written without edit_file, and without a word for replacing', async () => {
    const { folder, results, tools } = await runIn('whole', { 'a.txt': 'one\n' }, [
      call('read_file', { path: 'a.txt' }),
      call('write_file', { path: 'a.txt', content: 'two\n' }),
    ])

    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['write_file', 'read_file']))
    expect(tools.map(({ name }) => name)).not.toContain('edit_file')
    expect(JSON.stringify(tools)).not.toContain('overwrite')
    expect(results.map(([ok]) => ok)).toEqual([true, true])
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('two\n')
  })

  test('are only for short files: a long one is changed with edit_file, which can be called', async () => {
    const long = Array.from({ length: 300 }, (_, index) => `line ${index}`).join('\n')
    const { folder, results } = await runIn('whole', { 'a.txt': long }, [
      call('read_file', { path: 'a.txt' }),
      call('write_file', { path: 'a.txt', content: 'all of it\n' }),
      call('edit_file', { path: 'a.txt', old: 'line 7\n', new: 'line seven\n' }),
    ])

    expect(results.map(([ok]) => ok)).toEqual([true, false, true])
    expect(results[1]?.[1]).toContain('edit_file')
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe(long.replace('line 7\n', 'line seven\n'))
  })
})

describe('ranges of lines', () => {
  test('are shown with their names, changed, and named anew', async () => {
    const { folder, results, tools } = await runIn('lines', { 'a.txt': 'one\ntwo\nthree\n' }, [
      call('read_file', { path: 'a.txt' }),
      call('edit_file', { path: 'a.txt', from: at('two', 2), to: at('three', 3), new: '2\n3\n4' }),
      call('edit_file', { path: 'a.txt', from: at('two', 2), new: 'again' }),
    ])

    expect(tools.find(({ name }) => name === 'edit_file')?.parameters).toMatchObject({
      required: ['path', 'from', 'new'],
    })
    expect(results[0]?.[1]).toBe(
      [hashedLine('one', 1), hashedLine('two', 2), hashedLine('three', 3)].join('\n'),
    )
    expect(results[1]).toEqual([true, expect.stringContaining(hashedLine('4', 4))])
    expect(results[2]).toEqual([false, expect.stringContaining(hashedLine('2', 2))])
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\n2\n3\n4\n')
  })

  test('a quote and its replacement is understood all the same, and lines where quotes were asked for', async () => {
    const quoted = await runIn('lines', { 'a.txt': 'one\n' }, [
      call('edit_file', { path: 'a.txt', old: 'one', new: 'two' }),
    ])
    const lined = await runIn('search', { 'a.txt': 'one\n' }, [
      call('edit_file', { path: 'a.txt', from: at('one', 1), new: 'two' }),
    ])

    expect(await readFile(join(quoted.folder, 'a.txt'), 'utf8')).toBe('two\n')
    expect(await readFile(join(lined.folder, 'a.txt'), 'utf8')).toBe('two\n')
  })

  test.each([
    ['a line end of Windows stays', 'a\r\nb\r\n', { from: at('b', 2), new: 'c\nd' }, 'a\r\nc\r\nd\r\n'],
    ['a file without a last line end stays so', 'a\nb', { from: at('b', 2), new: 'c\n' }, 'a\nc'],
    ['nothing new removes the lines', 'a\nb\nc\n', { from: at('a', 1), to: at('b', 2), new: '' }, 'c\n'],
    ['names that were copied along are dropped', 'a\n', { from: at('a', 1), new: hashedLine('b', 1) }, 'b\n'],
    ['a whole line as name', 'a\n', { from: hashedLine('a', 1), new: 'b' }, 'b\n'],
  ])('%s', (_, before, change, after) => {
    expect(editLines(before, { path: 'x', ...change })).toMatchObject({ ok: true, text: after })
  })

  test.each([
    ['a number without letters', { from: '1', new: 'b' }, 'bad-arguments'],
    ['a line that is not there', { from: `9${lineHash('a')}`, new: 'b' }, 'no-match'],
    ['a line that reads differently', { from: at('z', 1), new: 'b' }, 'no-match'],
    ['an end before the start', { from: at('b', 2), to: at('a', 1), new: 'c' }, 'bad-arguments'],
    ['text left out', { from: at('a', 1), new: 'x\n// ... existing code ...\n' }, 'bad-arguments'],
  ])('%s changes nothing', (_, change, code) => {
    expect(editLines('a\nb\n', { path: 'x', ...change })).toMatchObject({ ok: false, code })
  })
})

test('where calls travel as text, content stands behind the call, in replies and in the history', async () => {
  const block = '```py\nprint("a\\n")\n```'
  const written = '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.py"}}\n</tool_call>'

  const { folder, requests } = await runIn('search', {}, [{ text: `${written}\n${block}` }], {
    tools: 'text',
  })

  expect(await readFile(join(folder, 'a.py'), 'utf8')).toBe('print("a\\n")\n')
  expect(requests[0]?.messages[0]?.['content']).toContain('fenced block')
  const reply = requests[1]?.messages.find(({ role }) => role === 'assistant')
  expect(reply?.['content']).toContain('</tool_call>\n```\nprint("a\\n")\n```')
  expect(reply?.['content']).not.toContain('"content"')
})
