/**
 * What undo costs a command: the same command with and without it, in projects of 500 and 5,000 files, and in a folder with
 * too many files to look at. Ratios within one run; the first command, which reads every file once, is told apart.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createExec } from '../src/guard/exec.ts'
import { createFiles } from '../src/guard/paths/files.ts'
import { openUndoFor } from '../src/app/undo.ts'

const COMMANDS = 15
const PER_FOLDER = 50

console.log('files    plain    with undo  more      first command')
for (const count of [500, 5_000, 40_000]) console.log(await measure(count))

async function measure(count: number): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'covey-bench-'))
  const dataFolder = await mkdtemp(join(tmpdir(), 'covey-bench-'))
  const session = join(dataFolder, 'session')
  try {
    await mkdir(session)
    await makeProject(root, count)
    const [files, exec] = [createFiles({ root }), createExec({ cwd: root, env: process.env })]
    const undo = await openUndoFor({ files, exec, dataFolder, folder: session })
    const plain = await median(exec)
    await undo.begin({ runId: 'run-bench', at: Date.now(), prompt: 'bench' })
    const recorded = undo.exec(exec)
    const first = await timeOf(recorded)
    const covered = await median(recorded)
    await undo.end()
    await undo.close()
    await exec.close()
    const cells = [`${count}`, ms(plain), ms(covered), `${(covered / plain).toFixed(1)} x`, ms(first)]
    return cells.map((cell) => cell.padEnd(9)).join('')
  } finally {
    await Promise.all([root, dataFolder].map((folder) => rm(folder, { recursive: true })))
  }
}

async function makeProject(root: string, count: number): Promise<void> {
  for (let folder = 0; folder < count / PER_FOLDER; folder++) {
    const place = join(root, `src/part-${folder}`)
    await mkdir(place, { recursive: true })
    const names = Array.from({ length: PER_FOLDER }, (_, index) => join(place, `file-${index}.ts`))
    await Promise.all(names.map((name) => writeFile(name, `export const name = '${name}'\n`.repeat(40))))
  }
}

type Shell = Pick<ReturnType<typeof createExec>, 'shell'>

async function median(exec: Shell): Promise<number> {
  const times: number[] = []
  for (let number = 0; number < COMMANDS; number++) times.push(await timeOf(exec))
  return times.toSorted((one, other) => one - other)[Math.floor(COMMANDS / 2)] ?? 0
}

async function timeOf(exec: Shell): Promise<number> {
  const start = performance.now()
  await exec.shell('echo more >> src/part-0/file-0.ts', {
    timeoutMs: 60_000,
    signal: new AbortController().signal,
  })
  return performance.now() - start
}

function ms(time: number): string {
  return `${time.toFixed(0)} ms`
}
