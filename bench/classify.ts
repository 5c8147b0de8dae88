/**
 * How long the bundled model takes to say what a request is about: the median over different requests, for the fastest of several
 * rounds, since everything else on the machine only adds to it. Also what loading it takes. Repeat with: npm run bench:classify [file]
 */
import { fileURLToPath } from 'node:url'
import { createNanoModel } from '../src/nano/model.ts'
import { createFiles } from '../src/guard/paths/files.ts'

const ROUNDS = 8
const REQUESTS = [
  'show me the readme',
  'run the tests and tell me what fails',
  'Rename load to read in src/config.ts and in every file that imports it.',
  'why is the build red?',
  'add "milk" to notes.txt',
  'Write unit tests for the parser, with the odd cases we talked about last week.',
  'find every TODO under src',
  'hello, how are you today?',
  'is it safe to run scripts/deploy.sh from a branch?',
  'Plan the move to the new database: what has to happen first, and what can wait.',
  'copy docs/guide.md to docs/old/',
]

const path = process.argv[2] ?? fileURLToPath(new URL('../models/covey-nano.gguf', import.meta.url))
const model = createNanoModel({ path, files: createFiles({ root: process.cwd() }) })
const started = performance.now()
await model.load()
console.log(`engine and model loaded in ${(performance.now() - started).toFixed(0)} ms`)
const medians: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const times: number[] = []
  for (const request of REQUESTS) {
    const from = performance.now()
    await model.classify(`${request} (${round})`)
    times.push(performance.now() - from)
  }
  medians.push(times.toSorted((a, b) => a - b)[REQUESTS.length >> 1] ?? 0)
}
const sorted = medians.toSorted((a, b) => a - b).map((ms) => ms.toFixed(1))
console.log(
  `classification p50: ${sorted[0]} ms in the fastest of ${ROUNDS} rounds; all rounds ${sorted.join(', ')}`,
)
await model.close()
process.exit(0)
