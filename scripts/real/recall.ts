/**
 * Recall with and without a real embedding model: the questions of test/memory among many other facts, by words alone, and
 * with each weight of what the meaning finds. `npx tsx scripts/real/recall.ts [facts]`; needs `llama-server` and the
 * fetched weights. Choose the weight by the first half, report it by the second.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createEmbedder } from '../../src/provider/embedder.ts'
import { evaluate, fillFor } from '../../test/memory/evaluation.ts'
import { heldOut, tuned } from '../../test/memory/questions.ts'
import { freePort, llamaArgs, requireEmbedding, startServer, untilReady } from './server.ts'

const WEIGHTS = [0.5, 1, 2, 3, 4, 6, 8, 12, 20]
const among = Number(process.argv[2] ?? 10_000)
const { program, model } = requireEmbedding()

const folder = await mkdtemp(join(tmpdir(), 'covey-recall-'))
const port = await freePort()
const server = startServer({ program, args: llamaArgs(model, port, ['--embeddings']), port })
try {
  await untilReady(server, '/health')
  const embedder = countingEmbedder(server.url)
  const path = join(folder, 'memory.db')
  await fillFor(path, [tuned, heldOut], among)
  report('words alone', await evaluate(path, [tuned, heldOut]))
  const started = performance.now()
  await embedAll(path, embedder)
  console.log(`${embedder.count()} vectors in ${((performance.now() - started) / 1000).toFixed(0)} s`)
  for (const weight of WEIGHTS) {
    report(
      `weight ${weight}`,
      await evaluate(path, [tuned, heldOut], { model: 'minilm', embed: embedder.embed, weight }),
    )
  }
  report(
    'meaning alone',
    await evaluate(path, [tuned, heldOut], { model: 'minilm', embed: embedder.embed, weight: 1e6 }),
  )
} finally {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

function report(name: string, { shares, living }: Awaited<ReturnType<typeof evaluate>>): void {
  console.log(
    `${name.padEnd(14)} recall@5 ${shares.map((share) => share.toFixed(3)).join(' / ')} among ${living}`,
  )
}

function countingEmbedder(url: string) {
  const embed = createEmbedder({
    id: 'minilm',
    model: 'minilm',
    baseUrl: `${url}/v1`,
    headers: {},
    local: true,
  })
  let count = 0
  return {
    count: () => count,
    async embed(texts: readonly string[], signal: AbortSignal) {
      const vectors = await embed(texts, signal)
      count += texts.length
      return vectors
    },
  }
}

/** Vectors are made in the background of the first question; it is over when no more come. */
async function embedAll(path: string, { embed, count }: ReturnType<typeof countingEmbedder>): Promise<void> {
  const { openMemory } = await import('../../src/memory/store.ts')
  const memory = await openMemory({
    path,
    project: 'shop',
    refuse: async () => undefined,
    now: Date.now,
    warn: console.error,
    embedder: { model: 'minilm', embed },
  })
  await memory.recall('warm')
  for (let before = -1; before !== count();) {
    before = count()
    await wait(10_000)
  }
  await memory.close()
}
