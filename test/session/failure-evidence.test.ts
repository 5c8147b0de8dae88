/** The failing command is run before the first turn, and its output becomes part of the stored user message. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempProject } from '../support/project.ts'
import { emptyHome, ofType, openTestApp, promptAndCollect, run, type RunOptions } from '../support/run.ts'
import { calls, says, scriptedModel } from '../../src/provider/scripted.ts'

const project = {
  'package.json': '{"type":"module","scripts":{"test":"node check.js"}}',
  'check.js': "import { sum } from './src/sum.js'\nif (sum([1, 2]) !== 3) throw new Error('sum is wrong')\n",
  'src/sum.js': Array.from({ length: 40 }, (_, index) =>
    index === 19 ? 'export const sum = (items) => items.typo((a, b) => a + b, 0)' : `// line ${index + 1}`,
  ).join('\n'),
}

const prompt = 'The tests fail. Find the bug.'

const answer = () => scriptedModel([says('`typo` should be `reduce` in src/sum.js.')], [says('So it is.')])

async function firstMessage(options: RunOptions = {}, files: Readonly<Record<string, string>> = project) {
  const model = answer()
  const cwd = await tempProject(files)
  const events = await run(model, cwd, { prompt, ...options })
  return { text: model.asked[0]?.messages[0]?.text ?? '', events, asked: model.asked }
}

test('the output and the lines around each place precede the prompt', async () => {
  const { text, events } = await firstMessage()

  expect(text).toContain('[`npm test` was run before this request, and failed:]\n')
  expect(text).toContain('items.typo is not a function')
  expect(text).toContain('[src/sum.js:20]\n13\t// line 13\n')
  expect(text).toContain('\n20\texport const sum = (items) => items.typo((a, b) => a + b, 0)\n')
  expect(text).toContain('\n27\t// line 27')
  expect(text).not.toContain('28\t// line 28')
  expect(text).toMatch(/\n\nThe tests fail\. Find the bug\.$/)
  expect(ofType(events, 'tool-start').map(({ title }) => title)).toEqual(['run_command npm test'])
  expect(ofType(events, 'turn-start')).toHaveLength(1)
})

test('a file whose failing lines were shown need not be read or changed as well', async () => {
  const fix = { path: 'src/sum.js', old: 'items.typo', new: 'items.reduce' }
  const test = { command: 'npm test' }
  const model = scriptedModel(
    [calls('edit_file', fix)],
    [calls('run_command', test)],
    [says('Fixed; it passes.')],
  )

  const events = await run(model, await tempProject(project), {
    prompt: 'check.js fails. Fix src/sum.js and run `npm test`.',
    permission: 'bypass',
  })

  expect(model.asked[0]?.messages[0]?.text).toContain('\n[check.js:2]\n')
  expect(ofType(events, 'correction')).toEqual([])
})

test('it takes at most 8 % of the window', async () => {
  const noisy = {
    ...project,
    'check.js': `for (let i = 0; i < 3000; i++) console.log('noise', i)\n${project['check.js']}`,
  }
  const model = answer()

  await run(model, await tempProject(noisy), { prompt, window: 4096 })

  const text = model.asked[0]?.messages[0]?.text ?? ''
  expect(text).toContain('was run before this request')
  expect(Math.ceil(text.length / 4)).toBeLessThan(4096 * 0.08 + 60)
})

describe('nothing is run', () => {
  test.each([
    ['for another kind of request', { prompt: 'Explain src/sum.js to me.' }],
    ['where a call would be asked for', { permission: 'ask' as const, canAsk: true }],
    ['in read-only mode', { permission: 'read-only' as const }],
    ['where no tools may be used', { promptOptions: { toolChoice: 'none' as const } }],
    ['where the run is bound to paths', { promptOptions: { allowedPaths: ['src'] } }],
    ['where run_command is not allowed', { promptOptions: { allowedTools: ['read_file'] } }],
  ])('%s', async (_when, options) => {
    const { text, events } = await firstMessage(options)

    expect(text).not.toContain('was run before this request')
    expect(ofType(events, 'tool-start')).toEqual([])
    expect(ofType(events, 'permission-ask')).toEqual([])
  })

  test('with `evidence = false`', async () => {
    const env = await emptyHome()
    const folder = join(env['XDG_CONFIG_HOME'] ?? '', 'covey')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'config.toml'), '[engine]\nevidence = false\n')

    const { text, events } = await firstMessage({ env })

    expect(text).not.toContain('was run before this request')
    expect(ofType(events, 'tool-start')).toEqual([])
  })
})

test('in ask mode what a rule allows is run, and nothing is asked', async () => {
  const env = await emptyHome()
  const folder = join(env['XDG_CONFIG_HOME'] ?? '', 'covey')
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'config.toml'),
    '[[permission.rules]]\ntool = "run_command"\npattern = "npm test"\nverdict = "allow"\n',
  )

  const { text, events } = await firstMessage({ env, permission: 'ask', canAsk: true })

  expect(text).toContain('[`npm test` was run before this request, and failed:]\n')
  expect(ofType(events, 'permission-ask')).toEqual([])
})

test('what the command writes is taken back with the run', async () => {
  const cwd = await tempProject({
    ...project,
    'check.js': "import { writeFileSync } from 'node:fs'\nwriteFileSync('left.txt', 'x')\nprocess.exit(1)\n",
  })
  const app = await openTestApp(answer(), cwd, { incognito: false })
  const session = await app.openSession({ resume: 'new', canAsk: false })
  onTestFinished(() => session.close())

  await promptAndCollect(session, { prompt })
  const written = await readFile(join(cwd, 'left.txt'), 'utf8')
  await session.undo.undo()

  expect(written).toBe('x')
  await expect(readFile(join(cwd, 'left.txt'), 'utf8')).rejects.toThrow('ENOENT')
})

test('a command that passes, or that is missing, is no evidence', async () => {
  const passing = await firstMessage({}, { ...project, 'check.js': '' })
  const missing = await firstMessage({ prompt: '`./no-such-check.sh` fails' }, {})

  expect(passing.text).not.toContain('was run before')
  expect(missing.text).not.toContain('was run before')
})

test('a session that is resumed keeps the bytes', async () => {
  const cwd = await tempProject(project)
  const env = await emptyHome()
  const first = answer()
  const app = await openTestApp(first, cwd, { env, incognito: false })
  const session = await app.openSession({ resume: 'new', canAsk: false })
  await promptAndCollect(session, { prompt })
  await session.close()

  const resumed = await app.openSession({ resume: 'last', canAsk: false })
  await promptAndCollect(resumed, { prompt: 'yes' })
  await resumed.close()

  expect(first.asked[1]?.messages[0]).toEqual(first.asked[0]?.messages[0])
  expect(first.asked[1]?.messages.at(-1)?.text).not.toContain('was run before')
})
