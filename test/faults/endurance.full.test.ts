import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { childProgram } from '../support/child.ts'
import { tempProject } from '../support/project.ts'
import type { Held } from './endurance-child.ts'
import { runs } from '../support/runs.ts'

const TURNS = runs(1_000, 10_000)

const lines = (file: number): string =>
  Array.from({ length: 60 }, (_, line) => `line ${line} of file ${file} has some words in it\n`).join('')

test.skipIf(process.platform !== 'linux')(
  'a thousand turns of one session, in the soak ten thousand: the heap grows by less than a tenth, files and processes not at all (needs /proc)',
  async () => {
    const files = Array.from({ length: 10 }, (_, file) => [`project/file-${file}.txt`, lines(file)])
    const folder = await tempProject(Object.fromEntries(files))
    const child = await childProgram(new URL('endurance-child.ts', import.meta.url))

    const argv = ['--expose-gc', child, folder, String(TURNS)]
    const { stdout } = await promisify(execFile)(process.execPath, argv)

    const held = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Held)
    const [first, last] = [held[0]!, held.at(-1)!]
    expect(last.turns).toBe(TURNS)
    expect(last.heap).toBeLessThan(first.heap * 1.1)
    expect(held.map(({ files: open }) => open)).toEqual(held.map(() => first.files))
    expect(held.map(({ children }) => children)).toEqual(held.map(() => first.children))
    // Timers of the moment come and go.
    for (const { handles } of held) expect(handles).toBeLessThan(10)
  },
)
