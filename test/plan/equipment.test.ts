import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toToolSchema } from '../../src/lib/schema.ts'
import { planEquipment } from '../../src/plan/equipment.ts'
import { openPlanStore } from '../../src/plan/store.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { callTool } from '../tools/call.ts'
import { tempProject, toolContext } from '../support/project.ts'

const TIME = Date.UTC(2026, 0, 2, 3, 4)

async function equipment() {
  const store = openPlanStore(undefined, () => TIME)
  const { tools, sources } = planEquipment(store)
  const context = toolContext(await tempProject())
  const plan = async (action: string, text?: string) =>
    (await callTool(tools()[0]!, { action, ...(text !== undefined && { text }) }, context)).text
  return { store, plan, summary: () => sources[0]!.contribute('') }
}

describe('the tool', () => {
  test('keeps a plan from the first task to the end', async () => {
    const { plan } = await equipment()

    await plan('add', '1. Write the parser\n- [ ] Write the tests\n')
    await plan('begin')
    await plan('done', '1: parses everything')
    await plan('block', 'tests')
    const shown = await plan('show')
    await plan('review')
    const end = await plan('finish')

    expect(shown).toBe(
      [
        'Plan (executing, 1 of 2 tasks done):',
        '[x] 1. Write the parser (parses everything)',
        '[!] 2. Write the tests',
        'Notes:',
        '  2026-01-02 03:04  2 tasks added',
        '  2026-01-02 03:04  planning -> executing',
        '  2026-01-02 03:04  task 1 begun',
        '  2026-01-02 03:04  task 1 done: parses everything',
        '  2026-01-02 03:04  task 2 blocked',
      ].join('\n'),
    )
    expect(end).toContain('Plan (complete, 1 of 2 tasks done)')
  })

  test('says what is possible where a move is not', async () => {
    const { plan } = await equipment()

    await expect(plan('finish')).rejects.toMatchObject({
      message:
        'The plan is planning, so it cannot become complete. From planning it goes to: executing, paused.',
      details: { failure: 'bad-arguments' },
    })
  })

  test('costs no more than 60 tokens and has the wire form the bundled model knows', async () => {
    const [tool] = planEquipment(openPlanStore()).tools()

    const schema = toToolSchema(tool!)

    expect(encode(JSON.stringify({ type: 'function', function: schema })).length).toBeLessThanOrEqual(60)
    expect(schema.parameters).toMatchObject({ required: ['action'] })
  })
})

describe('a task with a check', () => {
  test('is written by the model as lines, and shown with it', async () => {
    const { plan } = await equipment()

    await plan('add', '- [ ] 1. Write the parser\n  check: `npm test`\n- Write the docs')
    const shown = await plan('check', '2: npm run lint -- --fix')

    expect(shown.split('\n').slice(1, 3)).toEqual([
      '[ ] 1. Write the parser [check: npm test]',
      '[ ] 2. Write the docs [check: npm run lint -- --fix]',
    ])
    expect((await plan('check', '2 -')).split('\n')[2]).toBe('[ ] 2. Write the docs')
    await expect(plan('check', '2')).rejects.toThrow('Name the task and its check')
  })

  test('is ended by the model only where its check has passed since the last change', async () => {
    const store = openPlanStore(undefined, () => TIME)
    const { tools, around } = planEquipment(store)
    const context = toolContext(await tempProject())
    const builtin = new Map(builtinTools({ list: () => [] }).map((tool) => [tool.name, around!(tool)]))
    const use = (name: string, input: object) => callTool(builtin.get(name) ?? tools()[0]!, input, context)
    const done = () => use('plan', { action: 'done', text: '1' })
    await use('plan', { action: 'add', text: 'Write b.txt\ncheck: test -f b.txt' })

    await expect(done()).rejects.toThrow('Run it with run_command: test -f b.txt')
    await use('run_command', { command: 'test -f b.txt' })
    await expect(done()).rejects.toThrow('has not passed')
    await use('write_file', { path: 'b.txt', content: 'b' })
    await use('run_command', { command: 'test -f b.txt' })
    await use('write_file', { path: 'c.txt', content: 'c' })
    await expect(done()).rejects.toThrow('since the last change')
    await use('run_command', { command: 'test -f b.txt' })

    expect((await done()).text).toContain('1 of 1 task done')
  })
})

describe('the summary', () => {
  test('says nothing where there is no plan', async () => {
    expect(await (await equipment()).summary()).toBeUndefined()
  })

  test('shows what is open first, then the newest notes', async () => {
    const { plan, summary } = await equipment()
    await plan('add', 'a\nb\nc')
    await plan('done', '1')
    await plan('begin', '3')
    await plan('note', 'c needs b')

    expect(await summary()).toBe(
      [
        'Plan (executing, 1 of 3 tasks done):',
        '[>] 3. c',
        '[ ] 2. b',
        'Notes, newest first:',
        '- c needs b',
        '- task 3 begun',
        '- task 1 done',
        '- planning -> executing',
        '- 3 tasks added',
      ].join('\n'),
    )
  })

  test('stays small whatever is in the plan', async () => {
    const words = fc.array(fc.lorem({ maxCount: 40 }), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(words, fc.lorem({ maxCount: 60 }), async (texts, note) => {
        const { store, summary } = await equipment()
        await store.change({ type: 'goal', text: note }, { type: 'add', texts }, { type: 'note', text: note })

        expect(encode((await summary()) ?? '').length).toBeLessThanOrEqual(300)
        expect((await summary())?.length).toBeLessThanOrEqual(950)
      }),
      { numRuns: 40 },
    )
  })
})
