import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createFiles } from '../../src/guard/paths/files.ts'
import { tempProject } from '../support/project.ts'

/** Writes into a folder while two others keep swapping it for a link that leads out. Returns what is outside afterwards. */
export async function raceAgainstSwaps(swaps: number): Promise<readonly string[]> {
  const base = await tempProject({ 'project/inner/a.txt': '', 'outside/kept': '' })
  const root = join(base, 'project')
  const inner = join(root, 'inner')
  const files = createFiles({ root })
  const swap = async (round: number): Promise<void> => {
    await rename(inner, `${inner}-${round}`)
    await symlink(join(base, 'outside'), inner)
    await rm(inner)
    await mkdir(inner)
  }
  const repeat = async (act: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 0; round < swaps / 2; round++) await act(round).catch(() => undefined)
  }

  await Promise.all([
    repeat(swap),
    repeat(() => files.write('inner/a.txt', 'x')),
    repeat((round) => swap(swaps + round)),
  ])

  return readdir(join(base, 'outside'))
}
