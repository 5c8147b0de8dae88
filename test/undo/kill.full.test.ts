import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childProgram } from '../support/child.ts'
import { tempProject } from '../support/project.ts'
import { openIn } from './bench.ts'
import { runs } from '../support/runs.ts'
import { seededRandom } from '../support/seed.ts'

const CHILD = await childProgram(new URL('killed-run.ts', import.meta.url))
const FILES = { 'a.txt': 'a', 'c.txt': 'c', 'd.txt': 'd', 'e.txt': 'e', 'f.txt': 'f' }

const isWhole = (root: string, session: string, when: string): Promise<boolean> =>
  new Promise((resolve) => {
    const argv = [CHILD, root, session, when]
    execFile(process.execPath, argv, (_, stdout) => resolve(stdout.includes('done')))
  })

/** Without what a write that was cut off leaves beside the file. */
async function contentsOf(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile() && !/\.[0-9a-f]{12}\.tmp$/.test(entry.name))
  const all = names.map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(
    await Promise.all(all.map(async (path) => [path.slice(root.length + 1), await readFile(path, 'utf8')])),
  )
}

test.each(['before', 'after'])(
  'killed %s any of its effects, in the run or in the undo, another undo gives back what was there',
  async (side) => {
    const step = runs(5, 1)
    const first = 1 + Math.floor(seededRandom(`killed ${side}`)() * step)
    for (let number = first; ; number += step) {
      const [root, session] = [await tempProject(FILES), await tempProject({})]
      await mkdir(join(session, 'undo'))
      const ended = await isWhole(root, session, `${number}:${side}`)

      const { undo } = await openIn(root, session, {
        folders: { session, contents: join(session, 'undo', 'contents') },
      })
      if (undo.runs().some(({ isUndone }) => !isUndone)) expect((await undo.undo()).conflicts).toEqual([])

      expect({ number, files: await contentsOf(root) }).toEqual({ number, files: FILES })
      if (ended) return expect(number).toBeGreaterThan(40)
    }
  },
)
