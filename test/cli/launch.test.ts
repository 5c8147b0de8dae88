/** What V8 compiled is kept for the next start, and no answer depends on it. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { coveyProcess, type CoveyRun } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

const BUILD = join(import.meta.dirname, '../../dist')
const GO = ['-m', 'scripted:play.jsonl', 'Go.']

/** Starts the built program once, with `code` in the place of what an earlier start would have kept. */
async function startWith(
  code: Uint8Array | undefined,
  args: readonly string[] = GO,
): Promise<CoveyRun & { readonly kept: string }> {
  const cwd = await tempProject({ 'play.jsonl': JSON.stringify({ text: 'Done.' }) })
  const kept = join(cwd, 'cache', 'covey', await nameOfKept())
  if (code) {
    await mkdir(join(cwd, 'cache', 'covey'), { recursive: true })
    await writeFile(kept, code, { mode: 0o600 })
  }
  const env = { ...(await emptyHome()), NODE_COMPILE_CACHE: join(cwd, 'cache') }
  return { ...(await coveyProcess(args, { cwd, env, program: [join(BUILD, 'main.js')] })), kept }
}

/** The build starts the program itself, so it knows the name for this Node and this bundle. */
const nameOfKept = async (): Promise<string> => (await readdir(join(BUILD, 'compiled')))[0] ?? 'none'

describe('code that V8 does not take is compiled anew and replaced', () => {
  test('something else', async () => {
    const { code, out, kept } = await startWith(new TextEncoder().encode('no code at all '.repeat(10_000)))

    const { size, mode } = await stat(kept)
    expect([code, out]).toEqual([0, 'Done.\n'])
    expect(size).toBeGreaterThan(1_000_000)
    expect(mode & 0o777).toBe(0o600)
  })

  test('the first half', async () => {
    const whole = await readFile(join(BUILD, 'compiled', await nameOfKept()))

    const { code, out } = await startWith(whole.subarray(0, whole.length >> 1))

    expect([code, out]).toEqual([0, 'Done.\n'])
  })
})

test('a start that shall leave nothing leaves no code', async () => {
  const { code, kept } = await startWith(new Uint8Array(0), ['--incognito', ...GO])

  expect([code, (await stat(kept)).size]).toEqual([0, 0])
})

test('what the first starts after a build compiled is final', async () => {
  const { code, kept } = await startWith(undefined)

  await expect(stat(kept)).rejects.toThrow('ENOENT')
  expect(code).toBe(0)
})
