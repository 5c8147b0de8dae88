/** `covey slm`: the small model that says what a request is about, asked now. */
import { cleanControl, jsonLine } from '../lib/clean.ts'
import type { SlmReport, SlmSample } from '../protocol/provider-service.ts'
import { requireAction } from './action.ts'
import type { Command, CommandContext } from './command.ts'
import type { OpenProviders } from './providers.ts'

export const createSlmCommand = (open: OpenProviders): Command => ({
  name: 'slm',
  summary: 'Try the small model that says what a request is about, or find a better one',
  usage: '[status | setup [arm]]',
  options: [{ flags: '--json', description: 'as JSON, for programs' }],
  examples: ['covey slm', 'covey slm setup', 'covey slm setup coder'],
  async run(context) {
    const [name = 'status', ...args] = context.args
    return requireAction('slm', actions, name)(open, { ...context, args })
  },
})

type Action = (open: OpenProviders, context: CommandContext) => Promise<number>

const actions: Readonly<Record<string, Action>> = {
  async status(open, { env, cwd, io, options, signal }) {
    const report = await (await open(env, cwd)).trySlm(undefined, signal)
    io.out(options['json'] ? jsonLine(report, 2) : render(report))
    return report.state === 'failed' ? 1 : 0
  },
  /** Measures and says what to write; the configuration stays the person's own. */
  async setup(open, { args, env, cwd, io, options, signal }) {
    const service = await open(env, cwd)
    const reports: SlmReport[] = []
    for (const id of args.length > 0 ? args : service.slms()) {
      const report = await service.trySlm(id, signal)
      reports.push(report)
      if (!options['json']) io.out(render(report))
    }
    if (options['json']) io.out(jsonLine(reports, 2))
    const best = bestOf(reports)
    if (best && !options['json']) io.out(`\nTo use it:\n\n[router]\nclassifier = "${best.classifier}"\n`)
    return best ? 0 : 1
  },
}

/** Later than this it is not waited for; see `router/classify.ts`. */
const LIMIT_MS = 2_000

/** The most right ones in time; of equals the quickest. */
const bestOf = (reports: readonly SlmReport[]): SlmReport | undefined =>
  reports
    .filter(({ state, ms = Infinity }) => state === 'ok' && ms <= LIMIT_MS)
    .toSorted((one, other) => other.right - one.right || (one.ms ?? 0) - (other.ms ?? 0))[0]

function render(report: SlmReport): string {
  const { classifier, state, usesTools, right, asked, ms = 0, why = '', samples } = report
  const late = ms > LIMIT_MS ? `; too slow, ${LIMIT_MS} ms are allowed` : ''
  const text = {
    ok: `slm: ${classifier}${usesTools ? ' ⚙' : ''}  ${right} of ${asked} sample requests right, ${ms} ms each${late}`,
    off: `slm: off  ${why}`,
    failed: `slm: ✗ ${classifier}  ${why}`,
  }[state]
  return `${cleanControl([text, ...samples.map(sampleLine)].join('\n'))}\n`
}

/** `✗ explain  62 %  Explain what src/app.ts does.` */
function sampleLine({ prompt, said, expected, sure }: SlmSample): string {
  const share = sure === undefined ? '' : `${Math.round(100 * sure)} %`
  return `  ${said === expected ? '✓' : '✗'} ${said.padEnd(16)} ${share.padStart(5)}  ${prompt}`
}
