/**
 * How often `search_code` finds a function by what its comment says, with and without a real embedding model:
 * `npx tsx scripts/real/code-recall.ts [COUNT] [ROOMS]`. The comments above this project's own functions are the questions; they
 * are taken out of the copy that is indexed.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createExec } from '../../src/guard/exec.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import { openCodeIndex } from '../../src/memory/code/open-index.ts'
import { projectFiles } from '../../src/memory/project-files.ts'
import { createEmbedder } from '../../src/provider/embedder.ts'
import { freePort, llamaArgs, requireEmbedding, startServer, untilReady } from './server.ts'

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url))
/** A comment and the line it stands above. */
const COMMENTED = /^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\n((?:export )?(?:async )?(?:function\*? |const )\w+.*)$/gm
const NAME = /(?:function\*? |const )(\w+)/
const WEIGHTS = [0, 1, 2]
const NEVER = new AbortController().signal

const [count = 120, rooms = ''] = [Number(process.argv[2] ?? 120), process.argv[3]]
const { program, model } = requireEmbedding()

type Question = { readonly text: string; readonly path: string; readonly name: string }

const root = await mkdtemp(join(tmpdir(), 'covey-code-'))
const questions = await copyWithoutComments()
const step = questions.length / count
const asked = Array.from({ length: count }, (_, index) => questions[Math.floor(index * step)]).flatMap(
  (one) => one ?? [],
)
console.log(`${questions.length} commented functions; ${asked.length} asked`)
const port = await freePort()
const server = startServer({ program, args: llamaArgs(model, port, ['--embeddings']), port })
const exec = createExec({ cwd: root })
try {
  await untilReady(server, '/health')
  const embed = createEmbedder({
    id: 'minilm',
    model: 'minilm',
    baseUrl: `${server.url}/v1`,
    headers: {},
    local: true,
  })
  const path = join(root, '..', `${root.slice(root.lastIndexOf('-') + 1)}.db`)
  for (const weight of WEIGHTS) {
    const index = await openCodeIndex({
      path,
      warn: console.error,
      limits: { ms: 600_000 },
      ...(weight > 0 && { embedder: { model: 'minilm', embed, weight, answerMs: 600_000 } }),
    })
    const files = projectFiles({ files: createFiles({ root }), exec })
    const ranks: number[] = []
    const started = performance.now()
    for (const question of asked) {
      const { places } = await index.search({ text: question.text, limit: 10 }, files, NEVER)
      ranks.push(places.findIndex((place) => place.path === question.path && place.name === question.name))
    }
    index.close()
    const name = weight === 0 ? 'words alone' : `meaning x ${weight}`
    const ms = (performance.now() - started) / asked.length
    console.log(`${name.padEnd(18)} ${shares(ranks)}; ${ms.toFixed(0)} ms each`)
  }
  await rm(path, { force: true })
} finally {
  await exec.close()
  await server.stop()
  await rm(root, { recursive: true, force: true })
}

/** By halves: the weight is chosen by the first and reported by the second. */
function shares(ranks: readonly number[]): string {
  const within = (list: readonly number[], limit: number): string =>
    (list.filter((rank) => rank >= 0 && rank < limit).length / list.length).toFixed(3)
  const halves = [0, 1].map((half) => ranks.filter((_, index) => index % 2 === half))
  return [1, 5, 10]
    .map((limit) => `recall@${limit} ${halves.map((half) => within(half, limit)).join(' / ')}`)
    .join(', ')
}

async function copyWithoutComments(): Promise<readonly Question[]> {
  const found: Question[] = []
  for (const entry of await readdir(SOURCE, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue
    const file = join(entry.parentPath, entry.name)
    const path = file.slice(SOURCE.length + 1)
    if (rooms !== '' && !rooms.split(',').includes(path.split('/')[0] ?? '')) continue
    const text = (await readFile(file, 'utf8')).replaceAll(COMMENTED, (_, comment: string, rest: string) => {
      const name = NAME.exec(rest)?.[1]
      const words = comment
        .replaceAll(/^\s*\/?\*+\/?|\*\/$/gm, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()
      if (name !== undefined && words.length >= 30) found.push({ text: words.slice(0, 300), path, name })
      return rest
    })
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return found.toSorted((a, b) => (a.path + a.name < b.path + b.name ? -1 : 1))
}
