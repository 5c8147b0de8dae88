/** `covey undo` and `covey redo` after whole runs of the program. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { covey, coveyProcess } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

type Call = { readonly name: string; readonly input: object }

async function open(initial: Record<string, string>) {
  const cwd = await tempProject(initial)
  const env = await emptyHome()
  const replies = join(String(env['HOME']), 'replies.jsonl')
  const script = async (calls: readonly Call[]) => {
    await writeFile(replies, `${JSON.stringify({ calls })}\n{"text": "Done."}\n`)
    return ['--model', `scripted:${replies}`, '--permission', 'bypass']
  }
  return {
    cwd,
    covey: (...args: string[]) => covey(args, { cwd, env }),
    async run(words: readonly string[], ...calls: Call[]) {
      const done = await covey([...(await script(calls)), ...words], { cwd, env })
      expect(done).toMatchObject({ code: 0 })
    },
    /** Killed as soon as the file is what the command makes of it. */
    async killedIn(prompt: string, call: Call, { path, text }: { path: string; text: string }) {
      let end: ((signal: NodeJS.Signals) => void) | undefined
      const running = coveyProcess([...(await script([call])), '--json', prompt], {
        cwd,
        env,
        onOut: (_, kill) => (end = kill),
      })
      while ((await readFile(join(cwd, path), 'utf8')) !== text) await delay(20)
      end?.('SIGKILL')
      return running
    },
    read: (path: string) => readFile(join(cwd, path), 'utf8').catch(() => undefined),
  }
}

const write = (path: string, content: string): Call => ({ name: 'write_file', input: { path, content } })
const run = (command: string): Call => ({ name: 'run_command', input: { command } })

test('the last run is taken back, then the one before, and done again', async () => {
  const world = await open({ 'a.txt': 'one\n' })
  await world.run(['Write b'], write('b.txt', 'two\n'))
  await world.run(['Append'], run('echo more >> a.txt'))

  const listed = await world.covey('undo', 'ls')
  const last = await world.covey('undo')
  const first = await world.covey('undo')
  const state = [await world.read('a.txt'), await world.read('b.txt')]
  const again = await world.covey('redo')
  const both = await world.covey('redo')
  const none = await world.covey('undo', 'nonsense')

  expect(listed.out).toMatch(/1 file {4}Write b\n.*1 file {4}Append\n$/)
  expect(last).toMatchObject({ code: 0, out: 'Undid "Append": 1 file\n  a.txt\n' })
  expect(first).toMatchObject({ code: 0, out: 'Undid "Write b": 1 file\n  b.txt\n' })
  expect(state).toEqual(['one\n', undefined])
  expect(again.out).toMatch(/^Did again "Write b"/)
  expect(both.out).toMatch(/^Did again "Append"/)
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining('nonsense') })
})

test('your own work since is left alone, and the command says so with its exit code', async () => {
  const world = await open({ 'a.txt': 'one\n' })
  await world.run(['Append'], run('echo more >> a.txt'))
  await writeFile(join(world.cwd, 'a.txt'), 'mine\n')

  const { code, out } = await world.covey('undo')

  const [, kept = ''] = /not a\.txt: it was changed since; the other version is in (.*)\n/.exec(out) ?? []
  expect(code).toBe(1)
  expect(await world.read('a.txt')).toBe('mine\n')
  expect(await readFile(kept, 'utf8')).toBe('one\n')
})

test('where nothing was changed there is nothing to undo', async () => {
  const world = await open({})

  expect(await world.covey('undo')).toMatchObject({
    code: 2,
    err: 'covey: There is nothing to undo in this folder.\n',
  })
  expect(await world.covey('undo', 'ls')).toMatchObject({ out: 'No run changed a file in this folder.\n' })
  expect(await world.covey('redo')).toMatchObject({ code: 2 })
})

test('a run that was killed in the middle of a command is taken back as well', async () => {
  const world = await open({ 'a.txt': 'one\n' })

  const command = run('echo more >> a.txt; sleep 30')
  const killed = await world.killedIn('Append', command, { path: 'a.txt', text: 'one\nmore\n' })
  const { code, out } = await world.covey('undo')

  expect(killed.code).toBeNull()
  expect({ code, out }).toEqual({ code: 0, out: 'Undid "Append": 1 file\n  a.txt\n' })
  expect(await world.read('a.txt')).toBe('one\n')
})

test('incognito leaves nothing to undo behind', async () => {
  const world = await open({ 'a.txt': 'one\n' })
  await world.run(['--incognito', 'Append'], run('echo more >> a.txt'))

  expect((await world.covey('undo', 'ls')).out).toBe('No run changed a file in this folder.\n')
})

test('a run is named as the list shows it, with or without the word in front; never two at once', async () => {
  const world = await open({})
  await world.run(['Write b'], write('b.txt', 'b'))
  const [run] = JSON.parse((await world.covey('undo', 'ls', '--json')).out) as { runId: string }[]

  const two = await world.covey('undo', String(run?.runId), 'another')
  const named = await world.covey('undo', String(run?.runId).replace('run-', ''))
  const redo = await world.covey('redo', 'this')

  expect([two.code, named.code, redo.code]).toEqual([2, 0, 2])
  expect(await world.read('b.txt')).toBeUndefined()
})

test('made, copied, moved and deleted files are taken back', async () => {
  const world = await open({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'old/c.txt': 'three\n' })
  const state = async () =>
    Promise.all(['a.txt', 'b.txt', 'new/b.txt', 'copy.txt', 'old/c.txt'].map((path) => world.read(path)))
  await world.run(
    ['Tidy up'],
    { name: 'make_folder', input: { path: 'new' } },
    { name: 'move_file', input: { from: 'b.txt', to: 'new/b.txt' } },
    { name: 'copy_file', input: { from: 'a.txt', to: 'copy.txt' } },
    { name: 'delete_file', input: { path: 'old' } },
  )
  const after = await state()

  const undone = await world.covey('undo')

  expect(after).toEqual(['one\n', undefined, 'two\n', 'one\n', undefined])
  expect(undone.code).toBe(0)
  expect(await state()).toEqual(['one\n', 'two\n', undefined, undefined, 'three\n'])
})
