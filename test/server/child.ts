/** `covey serve` as a process of its own. */
import { createServeCommand } from '../../src/cli/serve.ts'
import { testServing } from './serving.ts'

const controller = new AbortController()
process.on('SIGTERM', () => controller.abort())
process.on('SIGINT', () => controller.abort())
const [folder = ''] = process.argv.slice(2)
const command = createServeCommand(async () => ({ open: async () => testServing(folder) }))

process.exitCode = await command.run({
  args: [],
  options: { port: 0 },
  io: {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    stdin: process.stdin,
    piped: async () => undefined,
    isTty: false,
  },
  env: process.env,
  cwd: process.cwd(),
  signal: controller.signal,
})
