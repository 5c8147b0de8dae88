import { createPrivateKey, createPublicKey } from 'node:crypto'
import { TimeoutError } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import type { Offer } from '../../../src/federation/machine.ts'
import { jobContext, MAX_BODY, toJson } from '../../../src/federation/nats/job.ts'
import { createPersist } from '../../../src/federation/nats/link.ts'
import { sealKeyOf } from '../../../src/federation/nats/card.ts'
import { lock, newKey } from '../../../src/federation/nats/seal.ts'
import { toJobSecrets } from '../../../src/federation/nats/job-secrets.ts'
import { runTask, type Task, type TaskParts } from '../../../src/federation/nats/task.ts'
import { requestSchema, type WireEvent } from '../../../src/federation/wire.ts'
import { AppError } from '../../../src/protocol/error.ts'
import { questionOf } from '../machines.ts'
import { echo, newIdentity, offerOf, silent } from './server.ts'

const NOW = 1_700_000_000_000

/** A job stored just now that may take ten seconds, as the machine that answers has it. */
function task(): Task {
  const secrets = toJobSecrets(newKey())
  const { id, key: pem } = newIdentity()
  const body = toJson({ model: 'small', request: requestSchema.parse(questionOf('a b')), timeMs: 10_000 })
  return {
    secrets,
    from: { id, seal: createPublicKey(sealKeyOf(createPrivateKey(pem))) },
    run: 'run',
    attempt: 1,
    sealed: { inline: lock(secrets.key, body, jobContext(secrets.id)) },
    storedAt: NOW,
    control: new AbortController(),
  }
}

function parts(offer: Offer, more: Partial<TaskParts> = {}) {
  const live: WireEvent[] = []
  const { id, key } = newIdentity()
  const all: TaskParts = {
    own: { id, seal: sealKeyOf(createPrivateKey(key)) },
    bodies: { unpack: async ({ inline }) => inline },
    persist: createPersist((work) => work),
    offer,
    isTrusted: async () => true,
    brokerTime: () => NOW,
    live: (event) => void live.push(event),
    log: silent,
    ...more,
  }
  return { all, live }
}

const none = offerOf(() => {
  throw new Error('must not run')
})

describe('a job on the machine that answers', () => {
  test('is streamed as it goes, all but its end, and is a result in the end', async () => {
    const { all, live } = parts(offerOf(echo))

    const result = await runTask(task(), all)

    const words: WireEvent[] = [
      { type: 'text-delta', text: 'a ' },
      { type: 'text-delta', text: 'b' },
      { type: 'usage', usage: { prompt: 1, completion: 1 } },
    ]
    expect(live).toEqual(words)
    expect(result).toEqual({ run: 'run', attempt: 1, events: [...words, { type: 'finish', reason: 'stop' }] })
  })

  test('that comes too late by the clock of the broker is not run, and it is said', async () => {
    const { all } = parts(none, { brokerTime: () => NOW + 10_000 })

    expect(await runTask(task(), all)).toEqual({
      run: 'run',
      attempt: 1,
      events: [],
      failure: { code: 'model-unavailable', message: 'the job came too late; it was dropped' },
    })
  })

  test('whose time runs out while it runs is stopped', async () => {
    const endless = offerOf(async function* (_model, _request, signal) {
      yield { type: 'text-delta', text: 'x' }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    })
    const { all } = parts(endless, { brokerTime: () => NOW + 9_980 })

    expect((await runTask(task(), all))?.failure).toEqual({
      code: 'model-unavailable',
      message: 'the answer took longer than anybody waits',
    })
  })

  test('that was cancelled has no result', async () => {
    const own = task()
    const cancelled = offerOf(async function* () {
      own.control.abort('cancelled')
      yield { type: 'text-delta', text: 'x' }
    })

    expect(await runTask(own, parts(cancelled).all)).toBeUndefined()
  })

  test('that fails keeps what was said and why', async () => {
    const failing = offerOf(async function* () {
      yield { type: 'text-delta', text: 'x' }
      throw new AppError('context-overflow', 'the window has 4096 tokens', { window: 4096 })
    })

    expect(await runTask(task(), parts(failing).all)).toEqual({
      run: 'run',
      attempt: 1,
      events: [{ type: 'text-delta', text: 'x' }],
      failure: { code: 'context-overflow', message: 'the window has 4096 tokens', window: 4096 },
    })
  })

  test('that answers without end is stopped before it fills the memory', async () => {
    const text = 'x'.repeat(2 ** 20)
    let said = 0
    const flood = offerOf(async function* () {
      for (;;) {
        said += text.length
        yield { type: 'text-delta', text }
      }
    })

    const result = await runTask(task(), parts(flood).all)

    expect(result?.failure?.message).toBe('the answer grew too large')
    expect(said).toBeLessThan(MAX_BODY)
  })

  test('whose body cannot be had while the server is away is run once it can', async () => {
    let tries = 0
    const bodies: TaskParts['bodies'] = {
      async unpack({ inline }) {
        if (++tries < 3) throw new TimeoutError()
        return inline
      },
    }

    const result = await runTask(task(), parts(offerOf(echo), { bodies }).all)

    expect(result?.events.at(-1)).toEqual({ type: 'finish', reason: 'stop' })
  })

  test('that is cancelled before its body came has no result', async () => {
    const own = task()
    const bodies: TaskParts['bodies'] = {
      async unpack() {
        own.control.abort('cancelled')
        throw new TimeoutError()
      },
    }

    expect(await runTask(own, parts(none, { bodies }).all)).toBeUndefined()
  })

  test('whose body is gone or was changed is refused', async () => {
    const own = task()
    const changed = { ...own, sealed: { inline: Buffer.from(own.sealed.inline).fill(0, 20, 30) } }
    const gone = parts(none, { bodies: { unpack: async () => undefined } })

    const results = [await runTask(changed, parts(none).all), await runTask(own, gone.all)]

    const failure = { code: 'request-invalid', message: 'the job cannot be read' }
    expect(results.map((result) => result?.failure)).toEqual([failure, failure])
  })
})
