import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { ModelEvent } from '../../src/protocol/model.ts'
import { NEVER, pairUp, questionOf, startMachine } from './machines.ts'

describe('a model on another machine', () => {
  test('is not blamed for the time its reader takes', async () => {
    async function* answer(): AsyncGenerator<ModelEvent> {
      yield { type: 'text-delta', text: 'one ' }
      await pause(700)
      yield { type: 'text-delta', text: 'two' }
      yield { type: 'finish', reason: 'stop' }
    }
    const one = await startMachine({ answer })
    const other = await startMachine({ timing: { stallMs: 300 } })
    await pairUp(one, other)
    const [machine] = other.lan.machines()

    let said = ''
    for await (const event of machine!.model('m').stream(questionOf('x'), NEVER)) {
      if (event.type !== 'text-delta') continue
      said += event.text
      await pause(400)
    }

    expect(said).toBe('one two')
  })
})
