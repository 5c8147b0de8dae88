/** The life of a function that the agent makes itself: written, refused, fixed, promoted, called, and called again. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openAppContext } from '../../src/app/open.ts'
import type { SessionEvent } from '../../src/protocol/event.ts'
import type { SessionApi } from '../../src/protocol/session-api.ts'
import { calls, says, scriptedModel, type ScriptedReply } from '../../src/provider/scripted.ts'
import { openSession } from '../../src/app/session.ts'
import { skillFolders } from '../../src/skills/open.ts'
import { missing, named } from '../guard/with-sandbox.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome, ofType, promptAndCollect } from '../support/run.ts'
import { hasPython, PYTHON, TYPESCRIPT, withPython } from './functions.ts'

type Person = {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly answer: string
  readonly permission?: 'auto' | 'bypass'
}

/** One program, one session, one prompt; what came back from each call, and what the person was asked. */
async function talk({ cwd, env, answer, permission = 'auto' }: Person, ...replies: readonly ScriptedReply[]) {
  const model = scriptedModel(...replies, [says('Done.')])
  const context = await openAppContext({ env, cwd, model, permission, probe: false, window: 32_000 })
  onTestFinished(() => context.close())
  const session = await openSession(context.sessions, { resume: 'new', canAsk: true })
  onTestFinished(() => session.close())
  const onEvent = (event: SessionEvent, open: SessionApi) => {
    if (event.type === 'permission-ask') void open.answer(event.askId, { allow: true })
    if (event.type === 'question-ask') void open.answer(event.askId, { text: answer })
  }
  const events = await promptAndCollect(session, { onEvent })
  return {
    results: ofType(events, 'tool-end').map(({ name, ok, text }) => ({ name, ok, text })),
    questions: ofType(events, 'question-ask').map(({ question }) => question.split('\n', 1)[0]),
  }
}

const languages = {
  python: {
    file: 'words.py',
    function: 'count_words',
    good: PYTHON,
    bad: 'def count_words(text):\n    return 1\n',
  },
  typescript: {
    file: 'words.ts',
    function: 'countWords',
    good: TYPESCRIPT,
    bad: 'export function countWords(text) { return 1 }\n',
  },
}

test.skipIf(!hasPython || missing !== undefined).each(['python', 'typescript'] as const)(
  named(withPython('a function in %s goes the whole way')),
  async (language) => {
    const { file, function: inCode, good, bad } = languages[language]
    const person = { cwd: await tempProject(), env: await emptyHome(), answer: 'yes' }
    const promote = (name: string) =>
      calls('promote_skill', { file, function: inCode, name, description: 'Count the words of a text' })
    const raising = language === 'python' ? 'raise ValueError("empty")' : 'throw new Error("empty")'
    const guarded =
      language === 'python'
        ? good.replace('    return', `    if text == "":\n        ${raising}\n    return`)
        : good.replace('  return', `  if (text === "") ${raising}\n  return`)

    const first = await talk(
      person,
      [calls('write_file', { path: file, content: bad })],
      [promote('word_count')],
      [calls('write_file', { path: file, content: guarded, overwrite: true })],
      [promote('read_file')],
      [promote('word_count')],
      [calls('word_count', { text: 'one two three' })],
      [calls('word_count', { text: '' })],
    )
    const second = await talk(person, [calls('word_count', { text: 'one two', least: 1 })])
    const folder = join(
      skillFolders({ configFolder: '', dataFolder: dataOf(person) }, '').functions,
      'word_count',
    )
    const source = (await readdir(folder)).find((name) => name.startsWith('source-')) ?? ''
    await writeFile(join(folder, source), `${await readFile(join(folder, source), 'utf8')}\n`)
    const third = await talk({ ...person, answer: 'no' }, [calls('word_count', { text: 'one' })])
    const fourth = await talk(person, [calls('word_count', { text: 'one' })])

    expect(first.results.map(({ name, ok }) => [name, ok])).toEqual([
      ['write_file', true],
      ['promote_skill', false],
      ['write_file', true],
      ['promote_skill', false],
      ['promote_skill', true],
      ['word_count', true],
      ['word_count', false],
    ])
    const texts = first.results.map(({ text }) => text)
    expect(texts[1]).toContain('parameter text has no type')
    expect(texts[3]).toContain('read_file is taken by the tool read_file')
    expect(texts[5]).toBe('3')
    expect(texts[6]).toContain('empty')
    expect(first.questions).toEqual([
      `Make a tool word_count from ${inCode} in ${file}? It stays in later sessions.`,
    ])
    expect(second).toEqual({ results: [{ name: 'word_count', ok: true, text: '2' }], questions: [] })
    expect(third.results).toMatchObject([{ name: 'word_count', ok: false }])
    expect(third.questions).toEqual([
      'The function behind word_count is not the one you agreed to. Use it as it is now?',
    ])
    expect(fourth.results).toEqual([{ name: 'word_count', ok: true, text: '1' }])
  },
)

test.skipIf(missing !== undefined)(
  named('a function stays in its sandbox even where commands have none'),
  async () => {
    const outside = await tempProject()
    const source = `import { writeFileSync } from 'node:fs'
/**
 * Leaves a file behind.
 * @example
 * leave('inside.txt') // => 'left'
 */
export function leave(path: string): string {
  writeFileSync(path, '')
  return 'left'
}
`
    const cwd = await tempProject({ 'leave.ts': source })
    const person = { cwd, env: await emptyHome(), answer: 'yes', permission: 'bypass' } as const

    const { results } = await talk(
      person,
      [calls('promote_skill', { file: 'leave.ts', function: 'leave', name: 'leave_file' })],
      [calls('leave_file', { path: join(outside, 'here.txt') })],
    )

    expect(results.map(({ name, ok }) => [name, ok])).toEqual([
      ['promote_skill', true],
      ['leave_file', false],
    ])
    expect(await readdir(outside)).toEqual([])
    expect(await readdir(cwd)).toContain('inside.txt')
  },
)

const dataOf = ({ env }: Person): string => join(String(env['XDG_DATA_HOME']), 'covey')
