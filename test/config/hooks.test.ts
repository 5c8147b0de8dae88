import { describe, expect, test } from 'vitest'
import { hooksSchema, toHooks } from '../../src/config/hooks.ts'
import { secretsSchema, toSecretPatterns } from '../../src/config/secrets.ts'

describe('hooks', () => {
  test('keep the order they are written in, with what was left out filled in', () => {
    const hooks = hooksSchema.parse({
      lint: { event: 'post_tool_use', command: 'npm run lint', tool: 'write_*' },
      review: { event: 'pre_tool_use', type: 'prompt', prompt: 'Is it safe?', timeout_s: 5, fail_open: true },
    })

    expect(toHooks(hooks)).toEqual([
      {
        name: 'lint',
        launchedAs: 'hooks.lint',
        event: 'post_tool_use',
        type: 'command',
        command: 'npm run lint',
        tool: 'write_*',
        timeoutMs: 30_000,
        failOpen: false,
        isConfined: true,
      },
      {
        name: 'review',
        launchedAs: 'hooks.review',
        event: 'pre_tool_use',
        type: 'prompt',
        prompt: 'Is it safe?',
        timeoutMs: 5000,
        failOpen: true,
      },
    ])
  })

  test.each([
    [{ a: { command: 'x' } }, 'hooks.a needs `event`'],
    [{ a: { event: 'stop' } }, 'hooks.a needs `command`'],
    [{ a: { event: 'stop', type: 'prompt' } }, 'hooks.a needs `prompt`'],
  ])('%j is refused in words', (hooks, message) => {
    expect(() => toHooks(hooksSchema.parse(hooks))).toThrow(message)
  })
})

describe('secrets', () => {
  test('warn of random values and have no patterns unless told', () => {
    expect(secretsSchema.parse({})).toEqual({ entropy: 'warn', patterns: {} })
  })

  test('patterns bear the name of their table', () => {
    const secrets = secretsSchema.parse({
      patterns: { customer: { regex: 'C-\\d{6}', action: 'warn' }, begun: {} },
    })

    expect(toSecretPatterns(secrets)).toEqual([{ name: 'customer', regex: 'C-\\d{6}', action: 'warn' }])
  })
})
