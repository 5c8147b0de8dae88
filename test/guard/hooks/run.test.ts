import { existsSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createHooks, type HooksParts } from '../../../src/guard/hooks/run.ts'
import { type HookEvent, hookEvents, type HookPayloads, type HookSpec } from '../../../src/protocol/hooks.ts'
import { launchAsItIs } from '../../support/launch.ts'
import { tempProject } from '../../support/project.ts'

const common = { sessionId: 's1', cwd: '/project' }
const call = { ...common, runId: 'r1', callId: 'c1', tool: 'run_command', input: { command: 'ls' } }

const payloads: HookPayloads = {
  pre_tool_use: { ...call, category: 'run' },
  post_tool_use: { ...call, ok: true, text: 'a.txt', changed: [] },
  session_start: { ...common, resumed: false },
  session_end: common,
  pre_compact: { ...common, runId: 'r1', messages: 12, forced: false },
  stop: { ...common, runId: 'r1', reason: 'max-turns', turns: 50, changed: ['a.txt'] },
  user_prompt: { ...common, runId: 'r1', prompt: 'fix it' },
}

/** Hooks that are asked one after the other, by their commands or as they are. */
async function ask<Event extends HookEvent>(
  event: Event,
  specs: readonly (string | Partial<HookSpec>)[],
  parts: Partial<HooksParts> = {},
) {
  const cwd = parts.cwd ?? (await tempProject())
  const hooks = specs.map((spec, index) => {
    const given = typeof spec === 'string' ? { type: 'command', command: spec } : spec
    return { name: `h${index + 1}`, event, ...given } as HookSpec
  })
  const signal = new AbortController().signal
  return createHooks({ launch: launchAsItIs, cwd, env: process.env, ...parts, hooks }).run(
    event,
    payloads[event],
    signal,
  )
}

const allowed = <Event extends HookEvent>(event: Event, change: Partial<HookPayloads[Event]> = {}) => ({
  verdict: 'allow',
  payload: { ...payloads[event], ...change },
  warnings: [],
})

describe('a command', () => {
  test.each(hookEvents)('receives %s as JSON in snake_case', async (event) => {
    const cwd = await tempProject()

    const outcome = await ask(event, ['cat > told.json'], { cwd })

    const told = JSON.parse(await readFile(join(cwd, 'told.json'), 'utf8')) as Record<string, unknown>
    expect(outcome).toEqual(allowed(event))
    expect(told).toMatchObject({ event, session_id: 's1', cwd: '/project' })
    expect(Object.keys(told).filter((key) => /[A-Z]/.test(key))).toEqual([])
  })

  test('sees what a run ended with', async () => {
    const cwd = await tempProject()

    await ask('stop', ['cat > told.json'], { cwd })

    expect(JSON.parse(await readFile(join(cwd, 'told.json'), 'utf8'))).toEqual({
      event: 'stop',
      session_id: 's1',
      cwd: '/project',
      run_id: 'r1',
      reason: 'max-turns',
      turns: 50,
      changed: ['a.txt'],
    })
  })

  test.each([
    ['exit 0', allowed('pre_tool_use')],
    ['exit 1', allowed('pre_tool_use')],
    ['echo not that >&2; exit 2', { verdict: 'deny', why: 'Hook h1 denied it: not that', warnings: [] }],
    ['exit 2', { verdict: 'deny', why: 'Hook h1 denied it: it gave no reason', warnings: [] }],
    [
      'exit 7',
      {
        verdict: 'deny',
        why: expect.stringContaining('Hook h1 ended with exit code 7, which denies'),
        warnings: [],
      },
    ],
    ['kill -9 $$', { verdict: 'deny', why: expect.stringContaining('was ended by a signal'), warnings: [] }],
    [
      'no-such-program',
      { verdict: 'deny', why: expect.stringContaining('ended with exit code 127'), warnings: [] },
    ],
    [
      'echo {broken',
      {
        verdict: 'deny',
        why: expect.stringContaining('printed JSON that is not a valid answer'),
        warnings: [],
      },
    ],
    ['echo looks fine to me', allowed('pre_tool_use')],
  ])('%s', async (command, expected) => {
    expect(await ask('pre_tool_use', [command])).toEqual(expected)
  })

  test.each([
    ['a yes over exit 2', `echo '{"action":"allow"}'; exit 2`, 'allow'],
    ['a no over exit 0', `echo '{"action":"deny","reason":"no"}'`, 'deny'],
    ['a skip over exit 2', `echo '{"action":"skip"}'; exit 2`, 'allow'],
    ['no action: the exit code decides', `echo '{"reason":"no"}'; exit 2`, 'deny'],
  ])('JSON wins over the exit code: %s', async (_, command, verdict) => {
    expect(await ask('pre_tool_use', [command])).toMatchObject({ verdict })
  })

  test('that does not read its input does not fail', async () => {
    const text = 'x'.repeat(1_000_000)
    const hooks = createHooks({
      launch: launchAsItIs,
      cwd: await tempProject(),
      env: process.env,
      hooks: [{ name: 'deaf', event: 'post_tool_use', type: 'command', command: 'exec <&-; exit 0' }],
    })

    const outcome = await hooks.run(
      'post_tool_use',
      { ...payloads.post_tool_use, text },
      new AbortController().signal,
    )

    expect(outcome.warnings).toEqual([])
  })

  test('gets no secrets of the environment', async () => {
    const cwd = await tempProject()

    await ask('session_start', ['env > env.txt'], {
      cwd,
      env: { PATH: process.env['PATH'], MY_API_KEY: 'x', HOME: '/h' },
    })

    const env = await readFile(join(cwd, 'env.txt'), 'utf8')
    expect(env).toContain('HOME=/h')
    expect(env).not.toContain('MY_API_KEY')
  })

  test('may be a program of the project', async () => {
    const cwd = await tempProject({ 'hook.sh': '#!/bin/sh\ngrep -q rm && exit 2\nexit 0\n' })
    await chmod(join(cwd, 'hook.sh'), 0o755)

    expect(await ask('pre_tool_use', ['./hook.sh'], { cwd })).toMatchObject({ verdict: 'allow' })
  })
})

describe('several hooks', () => {
  const transform = (expression: string): string =>
    `node -e 'const p = JSON.parse(require("fs").readFileSync(0, "utf8")); console.log(JSON.stringify({ transformed: ${expression} }))'`

  test('are asked in order, each sees what the one before made of it', async () => {
    const outcome = await ask('pre_tool_use', [
      transform('{ command: p.input.command + " -l" }'),
      'exit 1',
      transform('{ command: p.input.command + " src" }'),
    ])

    expect(outcome).toEqual(allowed('pre_tool_use', { input: { command: 'ls -l src' } }))
  })

  test('one no is a no, and those after it are not asked', async () => {
    const cwd = await tempProject()

    const outcome = await ask('user_prompt', [transform('"changed"'), 'exit 2', 'touch asked'], { cwd })

    expect(outcome).toMatchObject({ verdict: 'deny' })
    expect(existsSync(join(cwd, 'asked'))).toBe(false)
  })

  test('a prompt and a result may be transformed as well', async () => {
    expect(await ask('user_prompt', [transform('p.prompt + " now"')])).toEqual(
      allowed('user_prompt', { prompt: 'fix it now' }),
    )
    expect(await ask('post_tool_use', [transform('p.text.toUpperCase()')])).toEqual(
      allowed('post_tool_use', { text: 'A.TXT' }),
    )
  })

  test.each([
    ['pre_tool_use', '"text"'],
    ['user_prompt', '" "'],
    ['pre_compact', '{}'],
  ] as const)('what cannot be transformed denies: %s to %s', async (event, expression) => {
    expect(await ask(event, [transform(expression)])).toMatchObject({
      verdict: 'deny',
      why: 'Hook h1 transformed something that cannot be, which denies.',
    })
  })

  test('only those for this tool are asked', async () => {
    const deny = { type: 'command', command: 'exit 2' } as const

    expect(await ask('pre_tool_use', [{ ...deny, tool: 'write_*' }])).toMatchObject({ verdict: 'allow' })
    expect(await ask('pre_tool_use', [{ ...deny, tool: 'run_{command,python}' }])).toMatchObject({
      verdict: 'deny',
    })
  })
})

describe('what has happened cannot be denied', () => {
  test.each(['post_tool_use', 'session_start', 'session_end', 'stop'] as const)('%s', async (event) => {
    const outcome = await ask(event, ['echo too late >&2; exit 2', 'exit 9'])

    expect(outcome).toEqual({
      verdict: 'allow',
      payload: payloads[event],
      warnings: [
        'Hook h1 denied it: too late',
        'Hook h2 ended with exit code 9, which denies. The person can fix it or set fail_open.',
      ],
    })
  })
})

describe('a hook that is late', () => {
  test('denies, and its processes are gone', async () => {
    const cwd = await tempProject()
    const command = 'sleep 60 & echo $! > child; echo $$ > shell; sleep 60'

    const outcome = await ask('pre_tool_use', [{ type: 'command', command, timeoutMs: 300 }], { cwd })

    expect(outcome).toMatchObject({ verdict: 'deny', why: expect.stringContaining('took longer than 0.3 s') })
    for (const name of ['child', 'shell']) {
      const pid = (await readFile(join(cwd, name), 'utf8')).trim()
      expect(await isRunning(pid)).toBe(false)
    }
  })

  test('lets pass when it is set to fail open', async () => {
    const late = { type: 'command', command: 'sleep 60', timeoutMs: 200, failOpen: true } as const

    expect(await ask('pre_tool_use', [late])).toEqual({
      ...allowed('pre_tool_use'),
      warnings: ['Hook h1 took longer than 0.2 s; it is set to let pass.'],
    })
  })

  test('a hook that fails open still denies when it says so', async () => {
    expect(await ask('pre_tool_use', [{ type: 'command', command: 'exit 2', failOpen: true }])).toMatchObject(
      {
        verdict: 'deny',
      },
    )
  })

  test('a cancelled run waits for none', async () => {
    const controller = new AbortController()
    const hooks = createHooks({
      launch: launchAsItIs,
      cwd: await tempProject(),
      env: process.env,
      hooks: [{ name: 'slow', event: 'stop', type: 'command', command: 'sleep 60' }],
    })

    const running = hooks.run('stop', payloads.stop, controller.signal)
    controller.abort(new Error('cancelled'))

    await expect(running).rejects.toThrow('cancelled')
  })
})

describe('a review', () => {
  const review = (reply: string, asked: string[] = []) => ({
    prompt: async (prompt: string) => {
      asked.push(prompt)
      return reply
    },
  })
  const hook = { type: 'prompt', prompt: 'May this run?' } as const

  test.each([
    ['ALLOW', 'allow'],
    ['**ALLOW**: it only reads. DENY would be harsh.', 'allow'],
    ['DENY: it deletes things. ALLOW only with care.', 'deny'],
    ['I would not allow this.\nDENY', 'deny'],
    ['Well.', 'deny'],
  ])('the first word in capitals counts: %s', async (reply, verdict) => {
    expect(await ask('pre_tool_use', [hook], { review: review(reply) })).toMatchObject({ verdict })
  })

  test('is shown its question and the payload, and its reason is reported', async () => {
    const asked: string[] = []

    const outcome = await ask('pre_tool_use', [hook], { review: review('DENY - it deletes things.', asked) })

    expect(outcome).toMatchObject({ why: 'Hook h1 denied it: it deletes things.' })
    expect(asked[0]).toMatch(
      /^May this run\?\n\n\{\n {2}"event": "pre_tool_use",[\s\S]*"command": "ls"[\s\S]*ALLOW or DENY/,
    )
  })

  test('of a call too long to be seen whole denies, and of what has happened is shown a part', async () => {
    const asked: string[] = []
    const long = { ...payloads.pre_tool_use, input: { command: `${'true; '.repeat(2000)}rm -rf /` } }
    const hooks = (event: HookEvent) =>
      createHooks({
        launch: launchAsItIs,
        cwd: '/',
        env: {},
        review: review('ALLOW', asked),
        hooks: [{ ...hook, name: 'h1', event }],
      })

    const before = await hooks('pre_tool_use').run('pre_tool_use', long, new AbortController().signal)
    const text = 'x'.repeat(20_000)
    const after = { ...payloads.post_tool_use, text }
    await hooks('post_tool_use').run('post_tool_use', after, new AbortController().signal)

    expect(before).toMatchObject({
      verdict: 'deny',
      why: expect.stringContaining('cannot review more than 8000 characters'),
    })
    expect(asked.length).toBe(1)
    expect(asked[0]!.length).toBeLessThan(10_000)
  })

  test('that fails, hangs or has no one to ask denies unless it fails open', async () => {
    const broken = { prompt: () => Promise.reject(new Error('model is gone')) }
    const hanging = { prompt: () => new Promise<string>(() => {}) }
    const slow = { ...hook, timeoutMs: 50 }

    expect(await ask('pre_tool_use', [hook], { review: broken })).toMatchObject({
      why: expect.stringContaining('Hook h1 model is gone'),
    })
    expect(await ask('pre_tool_use', [slow], { review: hanging })).toMatchObject({ verdict: 'deny' })
    expect(await ask('pre_tool_use', [{ ...hook, type: 'agent' }])).toMatchObject({
      why: expect.stringContaining('Hook h1 has no agent to ask'),
    })
    expect(await ask('pre_tool_use', [{ ...slow, failOpen: true }], { review: hanging })).toMatchObject({
      verdict: 'allow',
    })
  })
})

/** A zombie has ended; only its parent has not noticed. */
async function isRunning(pid: string): Promise<boolean> {
  for (let tries = 0; tries < 50; tries++) {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
    if (stat === '' || /\) [ZX]/.test(stat)) return false
    await pause(20)
  }
  return true
}

test('a hook is not run from a folder that is gone without saying so', async () => {
  const cwd = join(await tempProject(), 'gone')

  expect(await ask('pre_tool_use', ['exit 0'], { cwd })).toMatchObject({
    verdict: 'deny',
    why: expect.stringContaining('could not start'),
  })
  await expect(writeFile(join(cwd, 'x'), '')).rejects.toThrow('ENOENT')
})
