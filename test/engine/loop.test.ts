/** The loop with a scripted model: what a run does with good replies, bad replies and everything in between. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { offerTools } from '../../src/engine/offer.ts'
import type { Lease } from '../../src/protocol/arm.ts'
import type { Message } from '../../src/protocol/message.ts'
import { builtinTools } from '../../src/tools/all.ts'
import type { ModelRequest } from '../../src/protocol/model.ts'
import {
  calls,
  createScriptedModel,
  finish,
  says,
  scriptedModel,
  thinks,
  type ScriptedReply,
} from '../../src/provider/scripted.ts'
import { tempProject } from '../support/project.ts'
import { endOf, ofType, run, textOf } from '../support/run.ts'

const lastMessage = (request: ModelRequest | undefined) => request?.messages.at(-1)

test('a tool result reaches the model on the next turn', async () => {
  const model = scriptedModel([calls('read_file', { path: 'a.txt' })], [says('It says hello.')])

  const events = await run(model, await tempProject({ 'a.txt': 'hello' }))

  expect(lastMessage(model.asked[1])).toEqual({ role: 'tool', callId: 'call-1', text: '1\thello', ok: true })
  expect(events.at(-1)).toMatchObject({ type: 'run-end', reason: 'answered' })
})

describe('calls of one turn', () => {
  test('come back in call order, whatever finished first', async () => {
    const model = scriptedModel(
      [
        calls('run_command', { command: 'sleep 0.2; echo slow' }),
        calls('read_file', { path: 'a.txt' }),
        calls('list_files'),
      ],
      [says('Done.')],
    )

    await run(model, await tempProject({ 'a.txt': 'hello' }))

    const results = model.asked[1]?.messages.filter(({ role }) => role === 'tool') ?? []
    expect(results.map((message) => 'callId' in message && message.callId)).toEqual([
      'call-1',
      'call-2',
      'call-3',
    ])
    expect(results[0]?.text).toBe('slow')
  })

  test('a read after a write sees what was written', async () => {
    const model = scriptedModel(
      [
        calls('read_file', { path: 'a.txt' }),
        calls('edit_file', { path: 'a.txt', old: 'one', new: 'two' }),
        calls('read_file', { path: 'a.txt', from: 1 }),
      ],
      [says('Done.')],
    )

    await run(model, await tempProject({ 'a.txt': 'one\n' }))

    const texts = model.asked[1]?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text)
    expect(texts?.[0]).toBe('1\tone')
    expect(texts?.[2]).toBe('1\ttwo')
  })

  test('the same read twice runs once', async () => {
    const model = scriptedModel(
      [calls('list_files', { path: '.' }), calls('list_files', { path: '.' })],
      [says('Done.')],
    )

    const events = await run(model, await tempProject({ 'a.txt': '' }))

    expect(ofType(events, 'tool-start')).toHaveLength(1)
    expect(model.asked[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(2)
  })
})

test('a call made over and over in one reply is run twice', async () => {
  const command = { command: 'echo x >> log.txt; echo same' }
  const model = scriptedModel(
    Array.from({ length: 6 }, () => calls('run_command', command)),
    [says('Done.')],
  )
  const folder = await tempProject({})

  const events = await run(model, folder)

  expect(await readFile(join(folder, 'log.txt'), 'utf8')).toBe('x\nx\n')
  expect(model.asked[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(6)
  expect(endOf(events).attribution).toEqual({ model: 2, repair: 0, detector: 4 })
})

test('a path that was missing is read once it is there, whatever made it', async () => {
  const model = scriptedModel(
    [calls('read_file', { path: 'made.txt' })],
    [calls('run_command', { command: 'echo hi > made.txt; exit 1' })],
    [calls('read_file', { path: 'made.txt' })],
    [says('Done.')],
  )

  await run(model, await tempProject({ 'other.md': '' }))

  expect(lastMessage(model.asked[3])).toMatchObject({ ok: true, text: '1\thi' })
})

describe('a call that the output limit cut off', () => {
  const cut = (name: string, input: string): ScriptedReply => [calls(name, input), finish('length')]

  test('is not run inside call_tool', async () => {
    const model = scriptedModel(
      cut('call_tool', '{"name":"run_command","arguments":{"command":"touch b.txt; rm -rf ./bu'),
      cut('call_tool', '{"name":"write_file","arguments":{"path":"a.txt","content":"one\\ntwo\\nthr'),
      [says('Done.')],
    )
    const folder = await tempProject({})

    await run(model, folder)

    const results = model.asked[2]?.messages.filter((message) => message.role === 'tool')
    expect(results?.map(({ code }) => code)).toEqual(['cut', 'cut'])
    expect(await readdir(folder)).toEqual([])
  })

  test('adds its complete lines to the file where it says so', async () => {
    const model = scriptedModel(
      cut('write_file', '{"path":"a.txt","content":"one\\ntwo\\nthr'),
      cut('write_file', '{"path":"a.txt","append":true,"content":"three\\nfour\\nfi'),
      [says('Done.')],
    )
    const folder = await tempProject({})

    await run(model, folder)

    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\nfour\n')
  })

  test('leaves a file alone where it was cut before it said what to do with it', async () => {
    const model = scriptedModel(
      cut('write_file', '{"path":"a.txt","content":"one\\ntwo\\nthr'),
      cut('write_file', '{"path":"a.txt","content":"three\\nfour\\nfi'),
      [says('Done.')],
    )
    const folder = await tempProject({})

    await run(model, folder)

    expect(lastMessage(model.asked[2])).toMatchObject({
      code: 'cut',
      text: expect.stringContaining('append: true') as string,
    })
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
  })
})

test('a write inside call_tool whose text is never closed is not run', async () => {
  const model = scriptedModel(
    [calls('call_tool', '{"name":"write_file","arguments":{"path":"a.txt","content":"half of it')],
    [says('Done.')],
  )
  const folder = await tempProject({})

  await run(model, folder)

  expect(lastMessage(model.asked[1])?.text).toContain('a string is never closed')
  expect(await readdir(folder)).toEqual([])
})

test('a model that babbles a name gets a short error, and the run goes on', async () => {
  const model = scriptedModel([calls('q'.repeat(30_000))], [says('Done.')])

  const events = await run(model, await tempProject({}), { window: 4096 })

  expect(lastMessage(model.asked[1])?.text.length).toBeLessThan(600)
  expect(endOf(events).reason).toBe('answered')
})

describe('what a model writes wrongly is repaired or explained:', () => {
  const repaired: readonly [name: string, call: ReturnType<typeof calls>][] = [
    ['another case of the tool', calls('Read_File', { path: 'src/a.txt' })],
    ['a tool with a suffix', calls('read_file_tool', { path: 'src/a.txt' })],
    ['a namespace', calls('functions.read_file', { path: 'src/a.txt' })],
    ['another case of the path', calls('read_file', { path: 'SRC/A.txt' })],
    ['an absolute path from the root of the project', calls('read_file', { path: './src//a.txt' })],
    ['bare keys and a trailing comma', calls('read_file', '{path: "src/a.txt",}')],
    ['another name of the argument', calls('read_file', { file_path: 'src/a.txt' })],
    ['arguments wrapped once more', calls('read_file', { arguments: { path: 'src/a.txt' } })],
    ['a number as text', calls('read_file', { path: 'src/a.txt', from: '1' })],
    [
      'call_tool round a core tool',
      calls('call_tool', { name: 'read_file', arguments: { path: 'src/a.txt' } }),
    ],
    ['arguments beside the name in call_tool', calls('call_tool', { name: 'read_file', path: 'src/a.txt' })],
    [
      'arguments of call_tool as text',
      calls('call_tool', { name: 'read_file', arguments: '{"path":"src/a.txt"}' }),
    ],
  ]

  test.each(repaired)('%s', async (_name, call) => {
    const model = scriptedModel([call], [says('Done.')])

    await run(model, await tempProject({ 'src/a.txt': 'hello' }))

    expect(lastMessage(model.asked[1])?.text).toContain('1\thello')
  })

  test('a tool that does not exist is answered with the nearest', async () => {
    const model = scriptedModel([calls('read_fil', { path: 'a.txt' })], [says('Done.')])

    const events = await run(model, await tempProject({ 'a.txt': 'hello' }))

    expect(lastMessage(model.asked[1])?.text).toContain('read_file')
    expect(ofType(events, 'tool-end')).toMatchObject([{ ok: false, code: 'unknown-tool' }])
  })

  test('a missing argument is named', async () => {
    const model = scriptedModel([calls('edit_file', { path: 'a.txt', old: 'x' })], [says('Done.')])

    await run(model, await tempProject({ 'a.txt': 'x' }))

    expect(lastMessage(model.asked[1])?.text).toMatch(/^Error: .*"new"/)
  })
})

describe('a reply that is none', () => {
  const bad: readonly [name: string, reply: ScriptedReply][] = [
    ['empty', [says('')]],
    ['a greeting', [says('Hello! How can I help you today?')]],
    ['an announcement', [says('I will now read the file.')]],
  ]

  test.each(bad)('%s: is asked for again with other sampling, and leaves no trace', async (_name, reply) => {
    const model = scriptedModel(reply, [calls('read_file', { path: 'a.txt' })], [says('It says hello.')])

    const events = await run(model, await tempProject({ 'a.txt': 'hello' }), {
      prompt: 'What does a.txt say?',
    })

    expect(model.asked[1]?.messages).toEqual(model.asked[0]?.messages)
    expect(model.asked[1]?.seed).toBeTypeOf('number')
    expect(model.asked[1]?.temperature).toBeGreaterThan(model.asked[0]?.temperature ?? 0)
    expect(ofType(events, 'correction')).toMatchObject([{ remedy: 'other sampling' }])
    expect(endOf(events)).toMatchObject({ reason: 'answered', attribution: { detector: 1 } })
  })

  test.each(bad)('%s: after all remedies and a fresh context it is still no answer', async (_name, reply) => {
    const model = createScriptedModel([reply], { repeatLast: true })

    const events = await run(model, await tempProject({ 'a.txt': 'hello' }), {
      prompt: 'What does a.txt say?',
    })

    expect(model.asked[2]?.thinking).toBe('off')
    const notes = [3, 4].map((at) => lastMessage(model.asked[at]))
    expect(notes).toMatchObject([
      { role: 'user', origin: 'note' },
      { role: 'user', origin: 'note' },
    ])
    expect(notes[0]?.text).not.toBe(notes[1]?.text)
    expect(model.asked[5]?.messages).toEqual(model.asked[0]?.messages)
    expect(model.asked).toHaveLength(8)
    expect(endOf(events)).toMatchObject({ reason: 'no-answer', changed: [] })
    expect(endOf(events).report).toContain('No file was changed.')
  })
})

describe('a model that has worked and then falls silent', () => {
  const reads = [calls('read_file', { path: 'a.txt' })]
  const silence = (count: number): ScriptedReply[] => Array.from({ length: count }, () => [says('')])
  const prompt = 'What does a.txt say?'

  test('is asked again for as long as that costs nearly nothing', async () => {
    const model = scriptedModel(reads, ...silence(25), [says('It says hello.')])

    const events = await run(model, await tempProject({ 'a.txt': 'hello' }), { prompt })

    expect(endOf(events)).toMatchObject({ reason: 'answered' })
    expect(model.asked.at(-1)?.messages.length).toBeLessThanOrEqual(5)
  })

  test('does not use up the turns of the run', async () => {
    const model = scriptedModel(reads, ...silence(12), [says('It says hello.')])

    const events = await run(model, await tempProject({ 'a.txt': 'hello' }), {
      prompt,
      promptOptions: { maxTurns: 5 },
    })

    expect(endOf(events)).toMatchObject({ reason: 'answered' })
  })

  test('is given up at last', async () => {
    const model = scriptedModel(reads, ...silence(60))

    const events = await run(model, await tempProject({ 'a.txt': 'hello' }), { prompt })

    expect(endOf(events)).toMatchObject({ reason: 'no-answer' })
    expect(model.asked.length).toBeLessThanOrEqual(34)
  })

  test('is given up early when its silence costs a long thought each time', async () => {
    const thought = Array.from(
      { length: 60 },
      (_, at) => `Step ${at * 7} may matter to part ${at * 3}.`,
    ).join(' ')
    const muses = Array.from({ length: 40 }, () => [thinks(thought), says('')])
    const model = scriptedModel(reads, ...muses)

    const events = await run(model, await tempProject({ 'a.txt': 'hello' }), { prompt })

    expect(endOf(events)).toMatchObject({ reason: 'no-answer' })
    expect(model.asked.length).toBeLessThanOrEqual(9)
  })
})

describe('going in circles', () => {
  const paragraph = 'The file defines the price and the tax. It is used by the shop to show the sum. '

  test('a repeated paragraph is left at once, asked for again, told, and ended', async () => {
    const model = scriptedModel(...Array.from({ length: 4 }, () => [says(paragraph.repeat(20))]))

    const events = await run(model, await tempProject({}))

    expect(model.asked).toHaveLength(4)
    expect(endOf(events).reason).toBe('repetition')
    const last = ofType(events, 'turn-end').at(-1)?.messages[0]
    expect(last?.text.length).toBeLessThan(paragraph.length * 2)
  })

  test('thinking in circles is answered by less thinking', async () => {
    const model = scriptedModel(
      [thinks('Let me think about this. '.repeat(40)), finish('length')],
      [says('Five.')],
    )

    const events = await run(model, await tempProject({}), { prompt: 'What is 2 + 3?' })

    expect(model.asked[1]?.thinking).toBe('off')
    expect(textOf(events)).toBe('Five.')
  })
})

test('a note after results is appended to the last result', async () => {
  const model = scriptedModel(
    ...[1, 2, 3, 4].map((n) => [
      calls('edit_file', { path: 'a.txt', old: `not there ${n} at all`, new: 'x' }),
    ]),
    [says('I give up.')],
  )

  const events = await run(model, await tempProject({ 'a.txt': 'hello\n' }), { prompt: 'Change a.txt.' })

  expect(model.asked.flatMap(({ messages }) => messages).filter((message) => 'origin' in message)).toEqual([])
  expect(lastMessage(model.asked[4])?.text).toMatch(/\n\[note\] .*write_file/)
  expect(ofType(events, 'correction').map(({ detector }) => detector)).toContain('patch-spiral')
})

test('after a patch spiral the file may be written whole', async () => {
  const model = scriptedModel(
    ...[1, 2, 3, 4].map((n) => [
      calls('edit_file', { path: 'a.txt', old: `not there ${n} at all`, new: 'x' }),
    ]),
    [calls('write_file', { path: 'a.txt', content: 'whole\n' })],
    [says('Done.')],
  )
  const folder = await tempProject({ 'a.txt': 'hello\n' })

  await run(model, folder, { prompt: 'Change a.txt.' })

  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('whole\n')
})

describe('options of one prompt', () => {
  test('maxTurns ends the run with a reason and keeps what it did', async () => {
    const model = scriptedModel(
      [calls('write_file', { path: 'a.txt', content: 'one\n' })],
      [calls('write_file', { path: 'b.txt', content: 'two\n' })],
    )

    const events = await run(model, await tempProject({}), { promptOptions: { maxTurns: 1 } })

    expect(endOf(events)).toMatchObject({ reason: 'max-turns', changed: ['a.txt'] })
    expect(endOf(events).report).toContain('--max-turns')
  })

  test('allowedTools shows and runs only these', async () => {
    const model = scriptedModel([calls('write_file', { path: 'a.txt', content: 'x' })], [says('I may not.')])

    const events = await run(model, await tempProject({}), {
      promptOptions: { allowedTools: ['read_file', 'list_files'] },
    })

    expect(model.asked[0]?.tools.map(({ name }) => name).toSorted()).toEqual(['list_files', 'read_file'])
    expect(ofType(events, 'tool-end')).toMatchObject([{ ok: false, code: 'unknown-tool' }])
  })

  test('allowedPaths keeps calls inside and switches the shell off', async () => {
    const model = scriptedModel(
      [
        calls('read_file', { path: 'src/a.txt' }),
        calls('read_file', { path: 'b.txt' }),
        calls('run_command', { command: 'ls' }),
      ],
      [says('Done.')],
    )

    const events = await run(model, await tempProject({ 'src/a.txt': 'a', 'b.txt': 'b' }), {
      promptOptions: { allowedPaths: ['src'] },
    })

    const results = model.asked[1]?.messages.filter((message) => message.role === 'tool')
    expect(results?.map(({ ok }) => ok)).toEqual([true, false, false])
    expect(ofType(events, 'tool-end')).toHaveLength(3)
  })

  test.each([
    ['a path that leads out again', 'write_file', { path: 'src/../b.txt', content: 'x' }],
    [
      'a patch that does',
      'apply_patch',
      { patch: '*** Begin Patch\n*** Add File: src/../b.txt\n+x\n*** End Patch' },
    ],
    ['a command that begins like one', 'run_command', { command: 'src/../run; echo x > b.txt' }],
  ])('allowedPaths is not got round by %s', async (_, name, input) => {
    const model = scriptedModel([calls(name, input)], [says('Done.')])
    const project = await tempProject({ 'src/a.txt': 'a' })

    const events = await run(model, project, { promptOptions: { allowedPaths: ['src'] } })

    expect(ofType(events, 'tool-end')).toMatchObject([{ ok: false }])
    expect(await readdir(project)).toEqual(['src'])
  })

  test('a call that must be made is made once; then the model may answer', async () => {
    const model = scriptedModel([calls('list_files')], [says('Nothing there.')])

    await run(model, await tempProject({}), { promptOptions: { toolChoice: 'required' } })

    expect(model.asked.map(({ toolChoice }) => toolChoice)).toEqual(['required', undefined])
  })

  test('toolChoice none lets the model only answer', async () => {
    const model = scriptedModel([says('I will now read the file.')])

    const events = await run(model, await tempProject({}), { promptOptions: { toolChoice: 'none' } })

    expect(model.asked[0]?.toolChoice).toBe('none')
    expect(endOf(events).reason).toBe('answered')
  })
})

describe('two-stage', () => {
  const twoStage = { flags: { 'engine.tools': 'two-stage' } }

  test('the chosen category brings its tools, and categories add up', async () => {
    const model = scriptedModel(
      [calls('select_category', { category: 'read' })],
      [calls('read_file', { path: 'a.txt' })],
      [calls('select_category', { category: 'write' })],
      [calls('edit_file', { path: 'a.txt', old: 'one', new: 'two' })],
      [says('Changed.')],
    )

    const events = await run(model, await tempProject({ 'a.txt': 'one\n' }), twoStage)

    const names = model.asked.map(({ tools }) => tools.map(({ name }) => name))
    expect(names[0]).toEqual(['select_category'])
    expect(names[1]).toContain('read_file')
    expect(names[1]).not.toContain('edit_file')
    expect(names[3]).toEqual(expect.arrayContaining(['read_file', 'edit_file']))
    expect(endOf(events)).toMatchObject({ reason: 'answered', changed: ['a.txt'] })
  })

  test('a choice of a tool that is not shown yet is not sent', async () => {
    const model = scriptedModel([says('It is 42.')])

    await run(model, await tempProject({}), {
      ...twoStage,
      promptOptions: { toolChoice: { name: 'read_file' } },
    })

    expect(model.asked[0]?.toolChoice).toBeUndefined()
  })

  test('an unknown category is an error result and the first stage again', async () => {
    const model = scriptedModel([calls('select_category', { category: 'magic' })], [says('Never mind, 42.')])

    const events = await run(model, await tempProject({}), twoStage)

    expect(model.asked[1]?.tools.map(({ name }) => name)).toEqual(['select_category'])
    expect(ofType(events, 'tool-end')).toMatchObject([{ ok: false }])
  })

  test.each([
    ['an unknown category', { category: 'magic' }, false, 'required'],
    ['the wish to answer', { category: 'answer' }, true, undefined],
    ['a category', { category: 'read' }, true, undefined],
  ])('after %s the choice is made again where a server supports it', (_, input, ok, choice) => {
    const lease = { arm: { capabilities: { window: 8_192, requiredChoice: true } } } as unknown as Lease
    const added: Message[] = [
      {
        role: 'assistant',
        text: '',
        calls: [{ id: '1', name: 'select_category', input: JSON.stringify(input) }],
      },
      { role: 'tool', callId: '1', text: 'x', ok },
    ]
    const tools = builtinTools({ list: () => [] })

    expect(offerTools({ mode: 'two-stage', tools, options: {} }, lease, added).choice).toBe(choice)
  })

  test('a prose reply is an answer', async () => {
    const events = await run(scriptedModel([says('It is 42.')]), await tempProject({}), twoStage)

    expect(endOf(events)).toMatchObject({ reason: 'answered', turns: 1 })
  })
})

describe('asking the person', () => {
  const write = [calls('write_file', { path: 'a.txt', content: 'x\n' })]

  test('yes runs the call', async () => {
    const folder = await tempProject({})
    const events = await run(scriptedModel(write, [says('Done.')]), folder, {
      permission: 'ask',
      canAsk: true,
      onEvent: (event, session) => {
        if (event.type === 'permission-ask') void session.answer(event.askId, { allow: true })
      },
    })

    expect(ofType(events, 'permission-ask')).toMatchObject([{ access: [{ kind: 'write', target: 'a.txt' }] }])
    expect(endOf(events).changed).toEqual(['a.txt'])
  })

  test('no reaches the model with its reason', async () => {
    const model = scriptedModel(write, [says('All right.')])

    await run(model, await tempProject({}), {
      permission: 'ask',
      canAsk: true,
      onEvent: (event, session) => {
        if (event.type === 'permission-ask')
          void session.answer(event.askId, { allow: false, reason: 'Use b.txt instead.' })
      },
    })

    expect(lastMessage(model.asked[1])).toMatchObject({
      ok: false,
      code: 'denied',
      text: 'Error: Use b.txt instead.',
    })
  })

  test('a question is answered', async () => {
    const model = scriptedModel(
      [calls('ask_user', { question: 'Which one?', options: ['a', 'b'] })],
      [says('b it is.')],
    )

    await run(model, await tempProject({}), {
      canAsk: true,
      onEvent: (event, session) => {
        if (event.type === 'question-ask') void session.answer(event.askId, { text: 'b' })
      },
    })

    expect(lastMessage(model.asked[1])).toMatchObject({
      ok: true,
      text: expect.stringContaining('b') as string,
    })
  })
})

test('a long result is folded, kept, and can be read in full', async () => {
  const model = scriptedModel(
    [calls('run_command', { command: 'seq 1 3000' })],
    [calls('read_result', { id: 'r1', from: 1500 })],
    [says('Done.')],
  )

  await run(model, await tempProject({}), { window: 4096 })

  expect(lastMessage(model.asked[1])?.text).toMatch(
    /left out: read_result \{"id":"r1","from":\d+\}\]\n[\s\S]*3000$/,
  )
  expect(lastMessage(model.asked[2])?.text).toContain('1500')
})
