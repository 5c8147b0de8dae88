/**
 * What a task costs in tokens: the first request, and the whole of a five-step task (list, read, edit, run, answer) as
 * tokens prefilled cold, generated, and turns. Then a task of forty turns in a small window: how often it is compacted,
 * how much of the window is used, what is lost and what a digest says wrongly. Repeat with: npm run bench:tokens
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/app/open.ts'
import type { ModelRequest } from '../src/protocol/model.ts'
import {
  calls,
  says,
  scriptedModel,
  type ScriptedModel,
  type ScriptedReply,
} from '../src/provider/scripted.ts'
import { type LongReport, runLongTask } from '../test/support/long-task/run.ts'
import { longConstraints } from '../test/support/long-task/script.ts'
import { requestText, sharedStart, tokensOf } from '../test/support/tokens.ts'

const steps: readonly ScriptedReply[] = [
  [calls('list_files', { path: '.' })],
  [calls('read_file', { path: 'sum.js' })],
  [calls('edit_file', { path: 'sum.js', old: 'a - b', new: 'a + b' })],
  [calls('run_command', { command: 'node check.js' })],
  [says('Fixed: the check passes.')],
]

const chooses = (category: string): ScriptedReply => [calls('select_category', { category })]
const [list, read, edit, runs, answer] = steps as [
  ScriptedReply,
  ScriptedReply,
  ScriptedReply,
  ScriptedReply,
  ScriptedReply,
]

const plans: Readonly<Record<string, readonly ScriptedReply[]>> = {
  auto: steps,
  'two-stage': [chooses('read'), list, read, chooses('write'), edit, chooses('run'), runs, answer],
  all: steps,
}

for (const [mode, plan] of Object.entries(plans)) {
  const model = scriptedModel(...plan)
  await runTask(model, mode)
  console.log(`${mode.padEnd(10)} ${report(model.asked)}`)
}

for (const window of [8192, 4096]) {
  for (const usage of [true, false]) {
    const counted = usage ? 'counted by the server' : 'estimated'
    console.log(
      `40 turns at ${window}, ${counted}: ${longText(await runLongTask(window, { usage }), window)}`,
    )
  }
}

function longText(task: LongReport, window: number): string {
  const share = (tokens: number) => `${tokens} (${Math.round((100 * tokens) / window)} %)`
  const said = task.missing.length === 0 ? 'every request' : `all but ${task.missing.length} places`
  return (
    `${task.reason} after ${task.turns} turns, ${task.compactions} compactions; prompts of at most ` +
    `${share(task.largest)} tokens, ${share(task.mean)} on average; ${task.lostFacts.length} facts lost, ` +
    `${task.falseLines.length} false lines in digests, ${longConstraints.length} constraints in ${said}`
  )
}

async function runTask(model: ScriptedModel, mode: string): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'covey-bench-'))
  const cwd = await mkdtemp(join(tmpdir(), 'covey-bench-'))
  await writeFile(join(cwd, 'sum.js'), 'export const sum = (a, b) => a - b\n')
  await writeFile(
    join(cwd, 'check.js'),
    "import { sum } from './sum.js'\nconsole.log(sum(2, 3) === 5 ? 'PASS' : 'FAIL')\n",
  )
  await writeFile(join(cwd, 'package.json'), '{"type":"module"}\n')
  const env = { PATH: process.env['PATH'], HOME: home }
  const app = await createApp({
    env,
    cwd,
    model,
    permission: 'bypass',
    incognito: true,
    flags: { 'engine.tools': mode },
  })
  const session = await app.openSession({ resume: 'new', canAsk: false })
  const stop = new AbortController()
  const events = session.events({ signal: stop.signal })
  await session.prompt('Fix the sum function and prove it with check.js.')
  for await (const event of events) if (event.type === 'run-end') break
  stop.abort()
  await session.close()
  await app.close()
  await rm(home, { recursive: true })
  await rm(cwd, { recursive: true })
}

function report(asked: readonly ModelRequest[]): string {
  const texts = asked.map((request) => requestText(request))
  const first = texts[0] ?? ''
  const cold = texts.map((text, index) => tokensOf(text.slice(sharedStart(text, texts[index - 1] ?? ''))))
  const total = cold.reduce((sum, tokens) => sum + tokens, 0)
  const all = texts.reduce((sum, text) => sum + tokensOf(text), 0)
  const generated = (asked.at(-1)?.messages ?? [])
    .filter((message) => message.role === 'assistant')
    .reduce((sum, { text, calls }) => sum + tokensOf(text + JSON.stringify(calls)), 0)
  const kept = Math.round((100 * (all - total)) / Math.max(1, all - tokensOf(first)))
  return (
    `first request ${tokensOf(first)} tokens (${asked[0]?.tools.length} tools); whole task: ${asked.length} turns, ` +
    `${total} prefilled cold, ${generated} generated, ${kept} % of later prompts already there`
  )
}
