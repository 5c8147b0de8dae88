/** A long task in 4,096 tokens: three large files, twenty-five turns, a server that refuses whatever is larger. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { calls, says, scriptedModel } from '../../src/provider/scripted.ts'
import { startModelServer, type ScriptedServerReply } from '../support/model-server.ts'
import { tempProject } from '../support/project.ts'
import { endOf, ofType, run } from '../support/run.ts'

const large = (name: string): string =>
  Array.from({ length: 700 }, (_, line) => `export const ${name}${line} = 'value ${line} of ${name}'`).join(
    '\n',
  )

const names = ['alpha', 'beta', 'gamma']
const files = Object.fromEntries(names.map((name) => [`${name}.ts`, `${large(name)}\n`]))

const call = (name: string, input: object): ScriptedServerReply => ({ calls: [{ name, arguments: input }] })

/** Reads each file page by page, changes a line in it, and looks for what it changed. */
const workOn = (name: string): ScriptedServerReply[] => [
  call('read_file', { path: `${name}.ts` }),
  ...[60, 120, 180, 240].map((from) => call('read_file', { path: `${name}.ts`, from })),
  call('edit_file', { path: `${name}.ts`, old: `'value 7 of ${name}'`, new: `'changed in ${name}'` }),
  call('search_text', { pattern: `changed in ${name}` }),
  call('run_command', { command: `grep -c export ${name}.ts` }),
]

test('completes, and never compacts twice without a new result in between', async () => {
  const script = [...names.flatMap(workOn), { text: 'All three are changed.' }]
  const server = await startModelServer(script, { window: 4096 })
  onTestFinished(() => server.close())
  const folder = await tempProject(files)

  const events = await run(server, folder, {
    prompt: 'Change value 7 in alpha.ts, beta.ts and gamma.ts.',
    window: 4096,
  })

  expect(script).toHaveLength(25)
  expect(endOf(events)).toMatchObject({
    reason: 'answered',
    turns: 25,
    changed: names.map((name) => `${name}.ts`),
  })
  for (const name of names)
    expect(await readFile(join(folder, `${name}.ts`), 'utf8')).toContain(`changed in ${name}`)

  const kinds = events
    .filter(({ type }) => type === 'compaction' || type === 'tool-end')
    .map(({ type }) => type)
  expect(kinds).toContain('compaction')
  expect(kinds.join(' ')).not.toContain('compaction compaction')
  for (const { after, before } of ofType(events, 'compaction')) expect(after).toBeLessThan(before * 0.8)
})

test('what was changed is still known after the compaction', async () => {
  const script = [...names.flatMap(workOn), { text: 'Done.' }]
  const server = await startModelServer(script, { window: 4096 })
  onTestFinished(() => server.close())

  await run(server, await tempProject(files), { prompt: 'Change value 7 in all three files.', window: 4096 })

  const last = JSON.stringify(server.requests.at(-1)?.messages)
  expect(last).toContain('Change value 7 in all three files.')
  for (const name of names) expect(last).toContain(`${name}.ts`)
})

test('a pasted log larger than the window is folded, kept, and answered', async () => {
  const server = await startModelServer([{ text: 'I see a log.' }], { window: 2048 })
  onTestFinished(() => server.close())

  const events = await run(server, await tempProject({}), { prompt: 'word '.repeat(3000), window: 2048 })

  expect(endOf(events).reason).toBe('answered')
  expect(JSON.stringify(server.requests[0]?.messages)).toContain('read_result')
})

test('a window that holds not even the tools ends the run with the numbers', async () => {
  const server = await startModelServer([{ text: 'never' }], { window: 200, repeatLast: true })
  onTestFinished(() => server.close())

  const events = await run(server, await tempProject({}), { window: 1024 })

  expect(endOf(events).reason).not.toBe('answered')
  expect(endOf(events).report).toMatch(/200|1,024/)
})

test('pages that one reply asks for together are smaller, so that none is cut in its middle', async () => {
  const paths = Array.from({ length: 8 }, (_, at) => `part${at}.ts`)
  const model = scriptedModel(
    paths.map((path) => calls('read_file', { path })),
    [says('Done.')],
  )
  const project = await tempProject(Object.fromEntries(paths.map((path) => [path, large('part')])))

  const events = await run(model, project, { window: 4096 })

  const results = model.asked[1]?.messages.filter(({ role }) => role === 'tool') ?? []
  expect(results.map(({ text }) => /^1\t[\s\S]*\n\[lines 1-\d+ of 700; go on with/.test(text))).toEqual(
    paths.map(() => true),
  )
  expect(results.some(({ text }) => text.includes('left out'))).toBe(false)
  expect(ofType(events, 'compaction')).toEqual([])
})
