import { describe, expect, test } from 'vitest'
import { permissionText, toPermission } from '../../src/cli/answer.ts'
import type { SessionEvent } from '../../src/protocol/event.ts'

type Ask = Extract<SessionEvent, { type: 'permission-ask' }>

const ask: Ask = {
  type: 'permission-ask',
  id: 1,
  askId: 'a',
  call: { id: '1', name: 'run_command', input: '{}' },
  access: [{ kind: 'run', target: 'npm test' }],
  why: 'run_command runs a command: npm test',
}

describe('the question', () => {
  test('shows the exact command and why it is asked', () => {
    expect(permissionText(ask)).toBe(
      '\nrun npm test\nwhy: run_command runs a command: npm test\nAllow? [y]es once, [n]o, or say why not: ',
    )
  })

  test('says what always would mean, where it is offered', () => {
    const always = { rules: [], text: 'always allow "npm test" in this folder' }

    const text = permissionText({ ...ask, always })

    expect(text).toContain('[a]lways would mean: always allow "npm test" in this folder\n')
    expect(text).toContain('[y]es once, [s]ession, [a]lways, [n]o')
  })

  test('names the secrets a yes gives out', () => {
    const secrets = [{ kind: 'aws-key', placeholder: '[secret:aws-key:k3f9:1]', path: 'config.js' }]

    expect(permissionText({ ...ask, secrets })).toContain(
      'gives it the aws-key of config.js ([secret:aws-key:k3f9:1])\n',
    )
  })

  test('nothing the model wrote moves the cursor', () => {
    const target = 'ls\u001B[2K\rrm -rf /'

    expect(permissionText({ ...ask, access: [{ kind: 'run', target }] })).not.toMatch(/[\u001B\r]/)
  })
})

test.each([
  ['y', true, { allow: true }],
  ['YES', false, { allow: true }],
  ['a', true, { allow: true, remember: true }],
  ['s', true, { allow: true, remember: 'session' }],
  ['always', false, { allow: false, reason: 'The person said no: always' }],
  ['', true, { allow: false, reason: 'The person said no.' }],
  ['n', true, { allow: false, reason: 'The person said no.' }],
  ['use the other folder', true, { allow: false, reason: 'The person said no: use the other folder' }],
])('"%s" where always is offered: %s', (text, mayAlways, expected) => {
  expect(toPermission(text, mayAlways)).toEqual(expected)
})
