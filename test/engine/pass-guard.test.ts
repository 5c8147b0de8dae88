import { expect, test } from 'vitest'
import { passGuard } from '../../src/engine/pass-guard.ts'
import type { AskPermission, ToolAccess } from '../../src/engine/parts.ts'
import { prepareCall } from '../../src/engine/prepare.ts'
import type { Authorization } from '../../src/protocol/guard.ts'
import { createRunCommand } from '../../src/tools/run-command.ts'

const tools = [createRunCommand({ usualMs: 1000, longMs: 1000 })]
const call = {
  id: 'c1',
  name: 'run_command',
  input: '{"command":"npm test"}',
  unsure: 'The model guessed this',
}

async function pass(permission: Authorization) {
  const ready = prepareCall(call, { tools, options: {}, atLimit: false })
  if (ready.kind !== 'ready') throw new Error(ready.text)
  const asked: object[] = []
  const askPermission: AskPermission = async ({ call: _call, access: _access, ...question }) => {
    asked.push(question)
    return { allow: true }
  }
  const toolAccess = { authorize: async () => permission, askPermission } as Partial<ToolAccess> as ToolAccess
  const signal = new AbortController().signal
  const passed = await passGuard(ready, { toolAccess, options: {}, told: async () => {}, signal })
  return { passed: 'input' in passed, asked }
}

const remedy = { otherwise: 'Repeat the request with the exact path, text or command.' }

test('a call the model is unsure of is asked for although the mode allows it', async () => {
  expect(await pass({ verdict: 'allow', why: 'bypass' })).toEqual({
    passed: true,
    asked: [{ why: 'The model guessed this', remedy }],
  })
})

test('a yes to an unsure call is never offered as a rule', async () => {
  const always = { rules: [], text: 'always allow "npm test"' }

  expect(await pass({ verdict: 'ask', why: 'npm may change something', always })).toEqual({
    passed: true,
    asked: [{ why: 'npm may change something; The model guessed this', remedy }],
  })
})

test('doubt lifts no deny, and is no question about what only reads', async () => {
  expect(await pass({ verdict: 'deny', why: 'a rule' })).toEqual({ passed: false, asked: [] })
  expect(await pass({ verdict: 'allow', why: 'reads', readsOnly: true })).toEqual({ passed: true, asked: [] })
})
