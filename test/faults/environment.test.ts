import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { startCli } from '../../src/cli/start.ts'
import { ANSWER, PROMPT, READ_ONLY, unusable, wrapped } from './wrapped.ts'

const noBwrap = unusable(READ_ONLY)
const why = noBwrap === undefined ? '' : ` (skipped: ${noBwrap})`

describe.skipIf(noBwrap !== undefined)(`a disk on which nothing can be written${why}`, () => {
  test('is named with what to do about it, and --incognito answers all the same', async () => {
    const [kept, incognito] = await Promise.all([
      wrapped(PROMPT, { by: READ_ONLY }),
      wrapped(['--incognito', ...PROMPT], { by: READ_ONLY }),
    ])

    expect(kept.code).toBe(1)
    expect(kept.err).toMatch(/Cannot use .*: the file system is read-only; .*use --incognito \(EROFS\)/)
    expect(incognito.out).toBe(ANSWER)
    expect(incognito.err).toContain('without a sandbox, so each of them is asked for: bwrap needs a folder')
    expect(incognito.code).toBe(0)
  })
})

describe.skipIf(process.platform !== 'linux')('an output that takes nothing (needs /dev/full)', () => {
  test('loses no answer silently, and remarks beside the answer are not worth losing it', async () => {
    const [answer, remarks] = await Promise.all([
      wrapped(PROMPT, { sh: 'exec "$@" >/dev/full' }),
      wrapped(PROMPT, { sh: 'exec "$@" 2>/dev/full' }),
    ])

    expect(answer.code).toBe(1)
    expect(answer.err).toContain('Cannot use the output: no space is left on the disk')
    expect(remarks).toEqual({ code: 0, out: ANSWER, err: '' })
  })
})

test('a working folder that is gone is said in a sentence', async () => {
  const said: string[] = []
  const stream = () => Object.assign(new EventEmitter(), { write: (text: string) => said.push(text) })
  const cwd = () => {
    throw new Error('ENOENT: no such file or directory, uv_cwd')
  }
  const gone = Object.assign(new EventEmitter(), {
    stdout: stream(),
    stderr: stream(),
    argv: [],
    env: {},
    cwd,
  })

  const code = await startCli(gone as unknown as NodeJS.Process)

  expect(code).toBe(1)
  expect(said).toEqual([
    'covey: the current directory no longer exists; cd to an existing one and try again.\n',
  ])
})
