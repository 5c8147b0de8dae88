/**
 * Request n is a prefix of request n+1, on the text that real chat template shapes render: ten turns, a note, more_tools,
 * a second prompt. Where a template makes a loss unavoidable, the loss is named here.
 */
import { readFile } from 'node:fs/promises'
import { Template } from '@huggingface/jinja'
import { expect, test } from 'vitest'
import { emit } from '../../src/context/emit.ts'
import type { WireMessage } from '../../src/context/wire.ts'
import type { EmissionMode } from '../../src/protocol/arm.ts'
import type { ModelRequest } from '../../src/protocol/model.ts'
import { calls, says, scriptedModel, thinks, type ScriptedReply } from '../../src/provider/scripted.ts'
import { tempProject } from '../support/project.ts'
import { openTestApp, promptAndCollect } from '../support/run.ts'
import { sharedStart } from '../support/tokens.ts'

type Shape = {
  readonly name: string
  readonly mode: EmissionMode
  /** The least share of a request that the next one keeps, within a run and from one prompt to the next. */
  readonly withinRun: number
  readonly nextPrompt: number
  readonly loss?: string
}

const native: EmissionMode = { base: 'tool-role' }

const shapes: readonly Shape[] = [
  { name: 'chatml', mode: native, withinRun: 0.98, nextPrompt: 0.98 },
  { name: 'llama3', mode: native, withinRun: 0.98, nextPrompt: 0.98 },
  { name: 'mistral', mode: native, withinRun: 0.98, nextPrompt: 0.98 },
  {
    name: 'gemma',
    mode: { base: 'user-results', strict: true, noSystem: true },
    withinRun: 0.98,
    nextPrompt: 0.98,
  },
  { name: 'thinking', mode: native, withinRun: 0.98, nextPrompt: 0.98 },
  {
    name: 'tools-in-last-user',
    mode: native,
    withinRun: 0.98,
    nextPrompt: 0,
    loss: 'the tools move to the newest user message, so each new prompt (and a note after a reply without calls) is prefilled from the first prompt on',
  },
]

const tenTurns: readonly ScriptedReply[] = [
  [thinks('Where to start?'), calls('list_files', { path: '.' })],
  [calls('read_file', { path: 'a.ts' }), calls('read_file', { path: 'b.ts' })],
  [calls('more_tools', { category: 'search' })],
  [calls('call_tool', { name: 'find_files', arguments: { pattern: '*.ts' } })],
  [says('Now the edit.'), calls('edit_file', { path: 'a.ts', old: 'const a = 1', new: 'const a = 2' })],
  [calls('run_command', { command: 'cat a.ts' })],
  [calls('read_file', { path: 'missing.ts' })],
  [calls('search_text', { pattern: 'const' })],
  [calls('write_file', { path: 'c.ts', content: 'export const c = 3\n' })],
  [says('Changed a.ts and added c.ts.')],
]

const secondPrompt: readonly ScriptedReply[] = [
  [calls('read_file', { path: 'c.ts' })],
  [says('It exports c.')],
]

async function requestsOfTwoPrompts(): Promise<{ asked: readonly ModelRequest[]; second: number }> {
  const model = scriptedModel(...tenTurns, ...secondPrompt)
  const folder = await tempProject({ 'a.ts': 'const a = 1\n', 'b.ts': 'const b = 2\n' })
  const app = await openTestApp(model, folder, { window: 16_384 })
  const session = await app.openSession({ resume: 'new', canAsk: false })
  await promptAndCollect(session, { prompt: 'Change a to 2 and add c.' })
  await promptAndCollect(session, { prompt: 'What does c.ts export?' })
  await session.close()
  return { asked: model.asked, second: tenTurns.length }
}

async function renderer({ name, mode }: Shape): Promise<(request: ModelRequest) => string> {
  const template = new Template(await readFile(new URL(`templates/${name}.jinja`, import.meta.url), 'utf8'))
  return (request) =>
    template.render({
      messages: emit(request, mode).map(withParsedArguments),
      tools:
        mode.base === 'tool-role'
          ? request.tools.map((tool) => ({ type: 'function', function: tool }))
          : undefined,
      add_generation_prompt: false,
    })
}

/** Servers hand the template the arguments as an object. */
function withParsedArguments(message: WireMessage): object {
  if (message.role !== 'assistant' || !message.tool_calls) return message
  const calls = message.tool_calls.map((call) => ({
    ...call,
    function: { ...call.function, arguments: JSON.parse(call.function.arguments) as unknown },
  }))
  return { ...message, tool_calls: calls }
}

test.each(shapes)('$name keeps what was prefilled', async (shape) => {
  const { asked, second } = await requestsOfTwoPrompts()
  const render = await renderer(shape)

  const texts = asked.map(render)
  const kept = texts.slice(1).map((text, index) => {
    const before = texts[index]!
    return sharedStart(before, text) / before.length
  })

  expect(texts).toHaveLength(tenTurns.length + secondPrompt.length)
  for (const [index, share] of kept.entries()) {
    const least = index + 1 === second ? shape.nextPrompt : shape.withinRun
    expect(share, `request ${index + 2}`).toBeGreaterThanOrEqual(least)
  }
  if (shape.loss) expect(kept[second - 1]).toBeLessThan(0.98)
})

test('the tools and the system text are the same bytes in every request', async () => {
  const { asked } = await requestsOfTwoPrompts()

  const fronts = asked.map(({ system, tools }) => JSON.stringify([system, tools]))

  expect(new Set(fronts).size).toBe(1)
})

test('a note after a reply without calls only appends', async () => {
  const model = scriptedModel(
    [calls('list_files', { path: '.' })],
    [says('I will now read the file.')],
    [says('I will now read the file.')],
    [says('I will now read the file.')],
    [calls('read_file', { path: 'a.ts' })],
    [says('It says hello.')],
  )
  const folder = await tempProject({ 'a.ts': 'hello\n' })
  const app = await openTestApp(model, folder)
  const session = await app.openSession({ resume: 'new', canAsk: false })

  await promptAndCollect(session, { prompt: 'What does a.ts say?' })
  await session.close()

  const wires = model.asked.map((request) => emit(request, native).map((message) => JSON.stringify(message)))
  for (const [index, wire] of wires.slice(1).entries()) {
    expect(wire.slice(0, wires[index]!.length)).toEqual(wires[index])
  }
  expect(wires.at(-1)?.some((message) => message.includes('[note]'))).toBe(true)
})
