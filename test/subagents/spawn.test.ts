import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Message } from '../../src/protocol/message.ts'
import type { Model, ModelEvent, ModelRequest } from '../../src/protocol/model.ts'
import { defineTool } from '../../src/protocol/tool.ts'
import { createLocks, serialised } from '../../src/subagents/locks.ts'
import { type ChildEnd, createSpawnSubagents, type RunChild } from '../../src/subagents/spawn.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { endOf, ofType, run, textOf } from '../support/run.ts'

/** Answers by what its conversation is about, in any order. */
const answeringModel = (answer: (request: ModelRequest) => readonly ModelEvent[]): Model => ({
  name: 'by-request',
  async *stream(request) {
    const events = answer(request)
    yield* events
    const hasCall = events.some(({ type }) => type === 'tool-call')
    yield { type: 'usage', usage: { prompt: 100, completion: 10 } }
    yield { type: 'finish', reason: hasCall ? 'tool-calls' : 'stop' }
  },
})

const calls = (name: string, input: unknown): ModelEvent => ({
  type: 'tool-call',
  call: { id: `call-${name}`, name, input: JSON.stringify(input) },
})
const says = (text: string): ModelEvent => ({ type: 'text-delta', text })

const isChild = ({ messages }: ModelRequest): boolean => firstText(messages).includes('Your part:')
const firstText = (messages: readonly Message[]): string => messages[0]?.text ?? ''
const results = ({ messages }: ModelRequest): readonly Message[] =>
  messages.filter(({ role }) => role === 'tool')

describe('through a whole session', () => {
  test('ten work side by side on their own files, and their reports reach the one who asked', async () => {
    const root = await tempProject()
    const tasks = Array.from({ length: 10 }, (_, index) => `Write ${index} into file-${index}.txt`)
    const model = answeringModel((request) => {
      if (!isChild(request))
        return results(request).length === 0 ? [calls('spawn_subagents', { tasks })] : [says('All done.')]
      const number = /Write (\d)/.exec(firstText(request.messages))?.[1] ?? '?'
      return results(request).length === 0
        ? [calls('write_file', { path: `file-${number}.txt`, content: number })]
        : [says(`Wrote file-${number}.txt`)]
    })

    const events = await run(model, root)

    const written = await Promise.all(
      tasks.map((_, index) => readFile(join(root, `file-${index}.txt`), 'utf8')),
    )
    expect(written.map((text) => text.trim())).toEqual(tasks.map((_, index) => `${index}`))
    expect(endOf(events)).toMatchObject({
      reason: 'answered',
      changed: tasks.map((_, index) => `file-${index}.txt`),
    })
    expect(textOf(events)).toBe('All done.')
    expect(ofType(events, 'subagent-end').map(({ ok, turns, tokens }) => ({ ok, turns, tokens }))).toEqual(
      tasks.map(() => ({ ok: true, turns: 2, tokens: 220 })),
    )
    const told = ofType(events, 'tool-end')[0]?.text ?? ''
    expect(tasks.filter((_, index) => !told.includes(`Wrote file-${index}.txt`))).toEqual([])
  })

  test('edits of one file by two of them are both kept', async () => {
    const root = await tempProject({ 'list.txt': 'alpha\nbeta\n' })
    const model = answeringModel((request) => {
      if (!isChild(request)) {
        const tasks = [{ prompt: 'Change alpha' }, { prompt: 'Change beta' }]
        return results(request).length === 0 ? [calls('spawn_subagents', { tasks })] : [says('Done.')]
      }
      const word = firstText(request.messages).includes('alpha') ? 'alpha' : 'beta'
      return results(request).length === 0
        ? [calls('edit_file', { path: 'list.txt', old: word, new: word.toUpperCase() })]
        : [says('Changed it.')]
    })

    await run(model, root)

    expect(await readFile(join(root, 'list.txt'), 'utf8')).toBe('ALPHA\nBETA\n')
  })

  test('what the parent is denied is denied to them, and so is starting others', async () => {
    const root = await tempProject({ 'a.txt': 'a' })
    const asked: string[] = []
    const model = answeringModel((request) => {
      if (!isChild(request))
        return results(request).length === 0
          ? [calls('spawn_subagents', { tasks: ['Write and spawn'] })]
          : [says('Seen.')]
      const done = results(request)
      asked.push(...done.slice(-1).map(({ text }) => text))
      if (done.length === 0) return [calls('write_file', { path: 'b.txt', content: 'b' })]
      return done.length === 1 ? [calls('spawn_subagents', { tasks: ['More'] })] : [says('Could not.')]
    })

    await run(model, root, { permission: 'read-only' })

    expect(asked[0]).toMatch(/^Error: This session only reads/)
    expect(asked[1]).toMatch(/^Error: .*spawn_subagents/)
    await expect(readFile(join(root, 'b.txt'))).rejects.toThrow('ENOENT')
  })

  test('a question of permission in one of them reaches the person', async () => {
    const root = await tempProject()
    const model = answeringModel((request) => {
      if (!isChild(request))
        return results(request).length === 0
          ? [calls('spawn_subagents', { tasks: ['Write'] })]
          : [says('Done.')]
      return results(request).length === 0
        ? [calls('write_file', { path: 'b.txt', content: 'b' })]
        : [says('Written.')]
    })

    await run(model, root, {
      permission: 'ask',
      canAsk: true,
      onEvent: (event, session) => {
        if (event.type === 'permission-ask') void session.answer(event.askId, { allow: true })
      },
    })

    expect((await readFile(join(root, 'b.txt'), 'utf8')).trim()).toBe('b')
  })

  test('a task keeps to the paths it was given', async () => {
    const root = await tempProject({ 'in/a.txt': 'a', 'out/b.txt': 'b' })
    const model = answeringModel((request) => {
      if (!isChild(request)) {
        const tasks = [{ prompt: 'Write out/b.txt', paths: ['in'] }]
        return results(request).length === 0 ? [calls('spawn_subagents', { tasks })] : [says('Done.')]
      }
      return results(request).length === 0
        ? [calls('write_file', { path: 'out/b.txt', content: 'changed', overwrite: true })]
        : [says('Refused.')]
    })

    await run(model, root)

    expect(await readFile(join(root, 'out/b.txt'), 'utf8')).toBe('b')
  })

  test('an arm that is not there fails that one only', async () => {
    const root = await tempProject()
    const model = answeringModel((request) => {
      if (!isChild(request)) {
        const tasks = [{ prompt: 'One', arm: 'elsewhere' }, 'Two']
        return results(request).length === 0 ? [calls('spawn_subagents', { tasks })] : [says('Done.')]
      }
      return [says('Fine.')]
    })

    const events = await run(model, root)

    expect(ofType(events, 'subagent-end').map(({ subagent, ok }) => `${subagent} ${ok}`)).toEqual([
      'sub-1 false',
      'sub-2 true',
    ])
  })

  test('a hook of type agent looks around and decides', async () => {
    const root = await tempProject({ 'policy.txt': 'b.txt is read-only.' })
    const model = answeringModel((request) => {
      const first = firstText(request.messages)
      if (first.includes('May this happen?'))
        return results(request).length === 0
          ? [calls('read_file', { path: 'policy.txt' })]
          : [says(results(request)[0]?.text.includes('is read-only') ? 'DENY by the policy' : 'ALLOW')]
      return results(request).length === 0
        ? [calls('write_file', { path: 'b.txt', content: 'b' })]
        : [says('It was refused.')]
    })
    const flags = {
      hooks: {
        review: { event: 'pre_tool_use', type: 'agent', tool: 'write_file', prompt: 'May this happen?' },
      },
    }

    const events = await run(model, root, { flags })

    expect(ofType(events, 'tool-end')[0]).toMatchObject({ ok: false, code: 'denied' })
    await expect(readFile(join(root, 'b.txt'))).rejects.toThrow('ENOENT')
  })
})

describe('the tool alone', () => {
  const ends = (text: string): ChildEnd => ({ ok: true, text, turns: 1, tokens: 5, changed: [] })
  const spawn = async (runChild: RunChild, tasks: unknown[], timeoutMs = 60_000) => {
    const tool = createSpawnSubagents({ runChild, staggerMs: 0, timeoutMs })
    const context = toolContext(await tempProject())
    return { context, result: await tool.run(tool.input.parse({ tasks }), context) }
  }

  test('a long answer comes back short, and whole as a stored result', async () => {
    const long = 'word '.repeat(5_000)

    const { result, context } = await spawn(async () => ends(long), ['Tell a lot'])

    expect(result.text.length).toBeLessThan(2_200)
    expect(await context.results.read('r1')).toBe(long)
  })

  test('one that takes too long is stopped and reported', async () => {
    const forever: RunChild = (_child, _tell, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

    const { result } = await spawn(forever, ['Wait'], 20)

    expect(result).toMatchObject({ ok: false, code: 'failed' })
    expect(result.text).toMatch(/^sub-1 failed \(0 turns, 0 tokens, 0 s\): stopped after 0.02 s/)
  })

  test('tasks are read as models write them', async () => {
    const seen: string[] = []

    await spawn(
      async ({ prompt, limits }) => {
        seen.push(
          `${prompt} ${limits.allowedTools?.join() ?? 'all'} ${limits.allowedPaths?.join() ?? 'everywhere'}`,
        )
        return ends('ok')
      },
      [
        'plain',
        { task: 'named otherwise' },
        { prompt: 'limited', tools: 'read_file', paths: ['src'] },
        { prompt: 'empty', tools: [], paths: [''], arm: ' ' },
        { prompt: 'written otherwise', paths: ['./src/', 'docs/**', 'a/../b'] },
        { prompt: 'the whole', paths: ['.'] },
      ],
    )

    expect(seen).toEqual([
      'plain all everywhere',
      'named otherwise all everywhere',
      'limited read_file src',
      'empty all everywhere',
      'written otherwise all src,docs,b',
      'the whole all everywhere',
    ])
  })

  test('none continues unseen when one of them breaks the call', async () => {
    const ended: string[] = []
    const tool = createSpawnSubagents({
      staggerMs: 0,
      runChild: async ({ id }) => {
        if (id === 'sub-2') await new Promise((resolve) => setTimeout(resolve, 20))
        ended.push(id)
        return ends('fine')
      },
    })
    const context = {
      ...toolContext(await tempProject()),
      tell: ({ type, subagent }: { type: string; subagent: string }) => {
        if (type === 'subagent-end' && subagent === 'sub-1') throw new Error('the log is full')
      },
    }

    await expect(tool.run({ tasks: [{ prompt: 'a' }, { prompt: 'b' }] }, context)).rejects.toThrow('the log')

    expect(ended).toEqual(['sub-1', 'sub-2'])
  })

  test('an answer that cannot be kept still comes back in part, with a list of files that has an end', async () => {
    const changed = Array.from({ length: 1_000 }, (_, index) => `src/file-${index}.ts`)
    const tool = createSpawnSubagents({
      staggerMs: 0,
      runChild: async () => ({ ...ends('word '.repeat(5_000)), changed }),
    })
    const real = toolContext(await tempProject())
    const put = () => Promise.reject(new Error('no space is left'))

    const { ok, text } = await tool.run(
      { tasks: [{ prompt: 'a' }] },
      { ...real, results: { ...real.results, put } },
    )

    expect(ok).toBe(true)
    expect(text).toContain('changed: src/file-0.ts')
    expect(text.length).toBeLessThan(2_700)
  })

  test('more than ten are refused', () => {
    const tool = createSpawnSubagents({ runChild: async () => ends('') })

    expect(tool.input.safeParse({ tasks: Array.from({ length: 11 }, () => 'x') }).success).toBe(false)
  })
})

test('a call that was given up while it waited for a file does not happen after all', async () => {
  const locks = createLocks()
  const writes: string[] = []
  const tool = serialised(
    defineTool({
      name: 'write',
      description: '',
      category: 'write',
      input: z.object({ text: z.string() }),
      access: () => [{ kind: 'write', target: 'a.txt' }],
      async run({ text }) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        writes.push(text)
        return text
      },
    }),
    locks,
  )
  const context = toolContext(await tempProject())
  const given = new AbortController()

  const first = tool.run({ text: 'first' }, context)
  const second = tool.run({ text: 'second' }, { ...context, signal: given.signal })
  given.abort()

  await expect(second).rejects.toThrow('aborted')
  await first
  expect(writes).toEqual(['first'])
})

test('locks are taken in one order, given back after a failure, and leave other files alone', async () => {
  const locks = createLocks()
  const log: string[] = []
  const work = (name: string) => async () => {
    log.push(`${name} begins`)
    await new Promise((resolve) => setTimeout(resolve, 5))
    log.push(`${name} ends`)
  }

  await Promise.all([
    locks(['a', 'b'], work('one')),
    locks(['b', './a'], work('two')),
    expect(locks(['c'], () => Promise.reject(new Error('no')))).rejects.toThrow('no'),
    locks(['c'], work('three')),
  ])

  expect(log.filter((line) => !line.startsWith('three'))).toEqual([
    'one begins',
    'one ends',
    'two begins',
    'two ends',
  ])
  expect(log).toContain('three ends')
})
