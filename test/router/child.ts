// A process that keeps changing the router's record until it is killed; it says "now" when it has begun.
import { openRecord } from '../../src/router/record.ts'

const [path = ''] = process.argv.slice(2)
const record = await openRecord({ path, learning: true, onProblem: (message) => console.error(message) })
for (let run = 0; ; run++) {
  record.noteRun({ runId: `run-${run}`, arm: 'a', type: 'debug', complexity: 0.5 })
  record.noteEvidence(`run-${run}`, 'checks-green')
  await record.flush()
  if (run === 3) process.stdout.write('now')
}
