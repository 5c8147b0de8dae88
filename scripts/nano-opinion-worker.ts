/** Trains one model in a process of its own, for nano-opinion.ts: its name, then the writers that are held out. */
import { loadWriters } from './nano-opinion-hands.ts'
import { type ModelName, TRAINERS } from './nano-opinion-models.ts'

const [name, ...held] = process.argv.slice(2)
const writers = loadWriters().filter((writer) => !held.includes(writer.name))
process.send?.(TRAINERS[name as ModelName](writers), () => process.exit(0))
