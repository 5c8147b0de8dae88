import { describe, expect, test } from 'vitest'
import { createFiles } from '../../src/guard/paths/files.ts'
import { createPermissions } from '../../src/guard/permission/decide.ts'
import type { Lease } from '../../src/protocol/arm.ts'
import { prepareCall } from '../../src/engine/prepare.ts'
import type { ToolCall } from '../../src/protocol/message.ts'
import type { ModelEvent } from '../../src/protocol/model.ts'
import type { Tool } from '../../src/protocol/tool.ts'
import { capabilitiesOf } from '../../src/provider/arm-models.ts'
import {
  calls,
  createScriptedModel,
  type ScriptedModel,
  type ScriptedReply,
} from '../../src/provider/scripted.ts'
import { toSwarmPolicy, swarmSchema } from '../../src/config/swarm.ts'
import { throughSwarm, withSwarm } from '../../src/swarm/lease.ts'
import { usualPolicy } from '../../src/swarm/swarm.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { tempProject } from '../support/project.ts'

const NEVER = new AbortController().signal

function leaseOf(model: ScriptedModel, local: boolean): Lease {
  const settings = {
    id: 'arm',
    kind: 'openai-compatible',
    model: 'm',
    headers: {},
    local,
    known: {},
  } as const
  return {
    arm: { id: 'arm', local, capabilities: capabilitiesOf(settings, undefined) },
    model,
    why: 'the only one',
    countTokens: (text) => text.length,
    commit: () => {},
    release: () => {},
    toText: () => false,
  }
}

async function ask({ model }: Lease): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  const request = {
    runId: 'run',
    sessionId: 'session',
    turn: 1,
    system: '',
    messages: [{ role: 'user' as const, text: 'go' }],
    tools: [{ name: 'write_file', parameters: { type: 'object' } }],
  }
  for await (const event of model.stream(request, NEVER)) events.push(event)
  return events
}

const write = (path: string, content: string): ScriptedReply => [calls('write_file', { path, content })]

describe('a lease through a swarm', () => {
  test('asks a local arm in turn, and no more often than it must', async () => {
    const model = createScriptedModel([write('a', '1'), write('a', '1'), write('a', '2')])

    await ask(withSwarm(leaseOf(model, true), { workers: 3, policy: { most: 3 } }))

    expect(model.asked).toHaveLength(2)
  })

  test('asks an arm elsewhere for all at once', async () => {
    const model = createScriptedModel([write('a', '1')], { repeatLast: true })

    await ask(withSwarm(leaseOf(model, false), { workers: 4, policy: { most: 4 } }))

    expect(model.asked).toHaveLength(4)
  })

  test.each([
    ['native', true, undefined],
    ['raw', true, 0],
    ['raw', false, 0],
    ['text', true, 0],
    ['text', false, undefined],
  ] as const)(
    'asks an arm with %s calls, local: %s, how sure it is only where that does no harm',
    async (tools, local, logprobs) => {
      const model = createScriptedModel([write('a', '1')], { repeatLast: true })
      const lease = leaseOf(model, local)
      const arm = { ...lease.arm, capabilities: { ...lease.arm.capabilities, tools } }

      await ask(withSwarm({ ...lease, arm }, { workers: 1, policy: { most: 1 } }))

      expect(model.asked.map((request) => request.logprobs)).toEqual([logprobs])
    },
  )

  test('checks with the tools, the files and the guard of its session', async () => {
    const root = await tempProject({ 'a.txt': 'one\n' })
    const tools: readonly Tool[] = builtinTools({ list: () => tools })
    const { authorize } = createPermissions({ mode: 'accept-edits', roots: [root], sandboxed: false })
    const model = createScriptedModel([write('a.txt', 'x'), write('b.txt', 'x'), write(`${root}/b.txt`, 'x')])
    const through = throughSwarm({ workers: 3, policy: { most: 3 } })

    const reserve = through(async () => leaseOf(model, true), {
      tools: () => tools,
      files: createFiles({ root }),
      authorize,
    })
    const events = await ask(await reserve({ task: '', excluded: [] }, NEVER))

    const end = events.find((event) => event.type === 'vote' && event.stage === 'end')
    expect(end).toMatchObject({
      report: {
        state: 'elected',
        confidence: 1,
        votes: [{ shows: expect.stringContaining('b.txt') }],
        discarded: [{ reason: 'check-failed', why: expect.stringContaining('a.txt exists') }],
      },
    })
  })
})

test('calls are understood as the engine does: what other agents call a parameter is no mistake', async () => {
  const root = await tempProject()
  const tools: readonly Tool[] = builtinTools({ list: () => tools })
  const { authorize } = createPermissions({ mode: 'accept-edits', roots: [root], sandboxed: false })
  const odd = [calls('write_file', { file_path: 'a.txt', text: 'x' })]
  const wrapped = [calls('call_tool', { name: 'write_file', arguments: { path: 'a.txt', content: 'x' } })]
  const model = createScriptedModel([odd, wrapped, write('a.txt', 'x')])
  const understand = (call: ToolCall) => {
    const prepared = prepareCall(call, { tools, options: {}, atLimit: false })
    if (prepared.kind === 'hopeless') return undefined
    const { tool, input, repaired } = prepared
    return { call: { ...call, name: tool.name, input: JSON.stringify(input) }, isRepaired: repaired }
  }
  const through = throughSwarm({ workers: 3, policy: { most: 3, ahead: 3 } })

  const reserve = through(async () => leaseOf(model, true), {
    tools: () => tools,
    files: createFiles({ root }),
    authorize,
    understand,
  })
  const events = await ask(await reserve({ task: '', excluded: [] }, NEVER))

  const end = events.find((event) => event.type === 'vote' && event.stage === 'end')
  expect(end).toMatchObject({ report: { state: 'elected', confidence: 1, discarded: [] } })
  expect(events.filter(({ type }) => type === 'tool-call')).toHaveLength(1)
})

test('the configuration says what the swarm does by itself, except that it is off', () => {
  expect(toSwarmPolicy(swarmSchema.parse({}))).toEqual({ ...usualPolicy, when: 'off' })
})
