/**
 * What recall and the code index cost. Recall is asked the hand-written questions of test/memory among ever more facts;
 * the index is built over this project and brought up to date again. Repeat with: npx tsx bench/memory.ts [facts ...]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createExec } from '../src/guard/exec.ts'
import { createFiles } from '../src/guard/paths/files.ts'
import { openCodeIndex } from '../src/memory/code/open-index.ts'
import { projectFiles } from '../src/memory/project-files.ts'
import { openMemory } from '../src/memory/store.ts'
import { distractors } from '../test/memory/distractors.ts'
import { recallAtFive } from '../test/memory/evaluation.ts'
import { heldOut, type Pair, tuned } from '../test/memory/questions.ts'

const sizes = process.argv.slice(2).map(Number)
const folder = mkdtempSync(join(tmpdir(), 'covey-bench-'))

try {
  console.log('facts      recall@5 tuned / held out   p50 ms   p99 ms   p50 beside the first   MB')
  let first: number | undefined
  for (const count of sizes.length > 0 ? sizes : [1_000, 10_000, 100_000]) {
    const path = join(folder, `${count}.db`)
    const { shares } = await recallAtFive(path, [tuned, heldOut], count)
    const { p50, p99 } = await timeRecall(path, [...tuned, ...heldOut])
    first ??= p50
    const cells = [
      String(count).padEnd(10),
      shares
        .map((share) => share.toFixed(3))
        .join(' / ')
        .padEnd(27),
      p50.toFixed(1).padEnd(8),
      p99.toFixed(1).padEnd(8),
      `x ${(p50 / first).toFixed(1)}`.padEnd(22),
      (statSync(path).size / 1_048_576).toFixed(0),
    ]
    console.log(cells.join(' '))
  }
  await timeIndex()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function timeRecall(path: string, pairs: readonly Pair[]): Promise<{ p50: number; p99: number }> {
  const memory = await openMemory({
    path,
    project: 'shop',
    refuse: async () => undefined,
    now: Date.now,
    warn: console.error,
  })
  for (const text of distractors(5, 2)) await memory.recall(text)
  const times: number[] = []
  for (const { question } of [...pairs, ...pairs]) {
    const start = performance.now()
    await memory.recall(question)
    times.push(performance.now() - start)
  }
  await memory.close()
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

async function timeIndex(): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const exec = createExec({ cwd: root })
  const files = projectFiles({ files: createFiles({ root }), exec })
  const index = await openCodeIndex({
    path: join(folder, 'code.db'),
    limits: { ms: 600_000 },
    warn: console.error,
  })
  const signal = new AbortController().signal
  const timed = async (): Promise<readonly [number, number]> => {
    const start = performance.now()
    const { indexed } = await index.update(files, signal)
    return [performance.now() - start, indexed]
  }
  const [whole, count] = await timed()
  const [again] = await timed()
  const start = performance.now()
  await index.search({ text: 'where is a file replaced atomically', limit: 10 }, files, signal)
  const search = performance.now() - start
  index.close()
  await exec.close()
  console.log(`\ncode index: ${count} files, ${((count * 1000) / whole).toFixed(0)} files/s`)
  console.log(
    `nothing changed: x ${(again / whole).toFixed(3)} of that; a search with its update: ${search.toFixed(0)} ms`,
  )
}
