/** `covey plan`: what a person does with the plan of a project. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createPlanCommand } from '../../src/cli/plan.ts'
import { createPlanService } from '../../src/plan/service.ts'
import { openPlanStore, planFileOf } from '../../src/plan/store.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

const command = createPlanCommand(async (env, cwd) =>
  createPlanService(openPlanStore(planFileOf(String(env['XDG_DATA_HOME']), cwd), () => Date.UTC(2026, 0, 2))),
)

async function person() {
  const cwd = await tempProject()
  const env = await emptyHome()
  return {
    cwd,
    async covey(args: readonly string[], options: Readonly<Record<string, unknown>> = {}, piped?: string) {
      let out = ''
      let err = ''
      const code = await command.run({
        args,
        options,
        env,
        cwd,
        signal: new AbortController().signal,
        io: {
          out: (text) => void (out += text),
          err: (text) => void (err += text),
          stdin: process.stdin,
          piped: async () => (piped === undefined ? undefined : { text: piped, truncated: false }),
          isTty: false,
        },
      })
      return { code, out, err }
    },
  }
}

describe('covey plan', () => {
  test('adds, ends and shows tasks', async () => {
    const { covey } = await person()
    await covey(['add', 'Write', 'the', 'parser'])
    await covey(['done', '1', 'it', 'parses'])

    const { out } = await covey([])

    expect(out.split('\n').slice(0, 2)).toEqual([
      'Plan (executing, 1 of 1 task done):',
      '[x] 1. Write the parser (it parses)',
    ])
  })

  test('a move that is not possible is a mistake of the command', async () => {
    const { covey } = await person()

    await expect(covey(['finish'])).rejects.toMatchObject({ code: 'config-invalid' })
    await expect(covey(['finsh'])).rejects.toThrow('There is no action "finsh"')
  })

  test('exports markdown and begins anew', async () => {
    const { covey } = await person()
    await covey(['goal', 'A parser'])
    await covey(['add', 'Write it'])

    const exported = await covey(['export'])
    await covey(['reset'])

    expect(exported.out).toBe(
      [
        '# A parser',
        '',
        'Phase: planning',
        '',
        '## Tasks',
        '',
        '- [ ] 1. Write it (pending)',
        '',
        '## Notebook',
        '',
        '- 2026-01-02T00:00:00.000Z goal set',
        '- 2026-01-02T00:00:00.000Z task 1 added',
        '',
      ].join('\n'),
    )
    expect((await covey([])).out).toContain('There is no plan yet')
  })

  test('run works at the tasks and says how it ended', async () => {
    const { covey, cwd } = await person()
    await covey(['add', 'Say hello'])
    const script = join(cwd, 'script.jsonl')
    await writeFile(script, `${JSON.stringify({ text: 'Hello.' })}\n`)

    const run = await covey(['run'], { model: `scripted:${script}`, permission: 'bypass', packetTurns: '3' })

    expect(run).toEqual({
      code: 0,
      err: '',
      out: 'task 1 begun\ntask 1 done: Hello.\nexecuting -> reviewing\nEvery task is done; look at the result, then `covey plan finish`.\n',
    })
  })

  test('tasks with checks come from a file and go back into one', async () => {
    const { covey } = await person()
    await covey(['add'], {}, '- [ ] Write it\n  check: npm test\n- [ ] Say so\n')
    await covey(['add', 'Ship', 'it'], { check: 'npm pack --dry-run' })

    const { out } = await covey(['export'])

    expect(out.split('\n').slice(6, 11)).toEqual([
      '- [ ] 1. Write it (pending)',
      '  check: npm test',
      '- [ ] 2. Say so (pending)',
      '- [ ] 3. Ship it (pending)',
      '  check: npm pack --dry-run',
    ])
    await expect(covey(['note', 'x'], { check: 'true' })).rejects.toThrow('--check goes with add')
    expect(JSON.parse((await covey(['show'], { json: true })).out)).toMatchObject({
      tasks: [{ check: 'npm test' }, {}, { check: 'npm pack --dry-run' }],
    })
  })

  test('run tells what it does and what the check said, as lines and as JSON', async () => {
    const { covey, cwd } = await person()
    await covey(['add', 'Say hello'], { check: 'echo checked' })
    const script = join(cwd, 'script.jsonl')
    await writeFile(script, `${JSON.stringify({ text: 'Hello.' })}\n`)
    const flags = { model: `scripted:${script}`, permission: 'bypass' }

    const run = await covey(['run'], flags)
    await covey(['reopen', '1'])
    const json = await covey(['run'], { ...flags, json: true })

    expect(run.out.split('\n')[1]).toBe('task 1 done: Hello. (check `echo checked` passed)')
    expect(run.err).toBe('→ check echo checked\n  ✓ check passed: echo checked\n')
    const events = json.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string })
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['plan-step', 'session-start', 'tool-start', 'tool-end', 'run-end', 'plan-end']),
    )
    expect(events.find(({ type }) => type === 'run-end')).toMatchObject({
      check: { command: 'echo checked', state: 'passed', text: 'checked' },
    })
    expect(events.at(-1)).toEqual({ type: 'plan-end', why: 'finished', packets: 1 })
  })

  test('run refuses an invalid number', async () => {
    const { covey } = await person()

    await expect(covey(['run'], { packetCalls: 'many' })).rejects.toThrow('--packet-turns and --packet-calls')
  })
})
