import { describe, expect, test } from 'vitest'
import { hasOneThread, ONE_THREAD, withEarlySampling } from '../../src/embedded/early-sampling.ts'

/** Stands for llama.cpp: writes down what it is asked for, and chooses 11, 12, 13 ... */
function recorded() {
  const asked: string[] = []
  let token = 10
  const ends: (() => void)[] = []
  const bindings = withEarlySampling({
    AddonSampler: class {
      readonly name: unknown
      constructor(name: unknown) {
        this.name = name
      }
      applyConfig(): void {
        asked.push(`configure ${this.name}`)
      }
      dispose(): void {
        asked.push(`dispose ${this.name}`)
      }
    },
    AddonContext: class {
      initBatch(): void {}
      addToBatch(_sequence: number, _from: number, _tokens: Uint32Array, outputs: Uint32Array): Uint32Array {
        return outputs
      }
      decodeBatch(): Promise<void> {
        asked.push('decode')
        return Promise.resolve()
      }
      sampleToken(_output: number, sampler: { dispose(): void; readonly name?: unknown }): Promise<unknown> {
        asked.push(`sample ${sampler.name}`)
        const chosen = ++token
        return new Promise((resolve) => ends.push(() => resolve(chosen)))
      }
    },
  })
  const end = (): void => ends.splice(0).forEach((one) => one())
  return { asked, end, bindings, context: new bindings.AddonContext() }
}

type Recorded = ReturnType<typeof recorded>

const PLAIN = { temperature: 0, seed: 1 }

async function evaluate(
  { context, end }: Recorded,
  sampler: InstanceType<Recorded['bindings']['AddonSampler']>,
  { tokens, sequence = 0, config = PLAIN }: { tokens: number[]; sequence?: number; config?: object },
): Promise<unknown> {
  context.initBatch(tokens.length)
  const last = Uint32Array.of(tokens.length - 1)
  const [output = 0] = context.addToBatch(sequence, 0, Uint32Array.from(tokens), last)
  await context.decodeBatch()
  sampler.applyConfig({ ...config })
  const token = context.sampleToken(output, sampler)
  end()
  return token
}

describe('the next token of a reply', () => {
  test('is chosen without a pause, with settings that are given once', async () => {
    const native = recorded()
    const sampler = new native.bindings.AddonSampler('a')

    const tokens = [await evaluate(native, sampler, { tokens: [1, 2, 3] })]
    for (const next of [11, 12]) tokens.push(await evaluate(native, sampler, { tokens: [next] }))

    expect(tokens).toEqual([11, 12, 13])
    const early = ['decode', 'sample a']
    expect(native.asked).toEqual(['decode', 'configure a', 'sample a', ...early, ...early])
  })

  test('is chosen later when penalties look at what was written', async () => {
    const native = recorded()
    const sampler = new native.bindings.AddonSampler('a')

    for (const tokens of [[1, 2], [11], [12]]) {
      await evaluate(native, sampler, {
        tokens,
        config: { ...PLAIN, repeatPenaltyTokens: Uint32Array.from(tokens) },
      })
    }

    expect(native.asked).toEqual(
      Array.from({ length: 3 }, () => ['decode', 'configure a', 'sample a']).flat(),
    )
  })

  test('is chosen later for another token, another sequence, and in a batch of two', async () => {
    const native = recorded()
    const sampler = new native.bindings.AddonSampler('a')
    await evaluate(native, sampler, { tokens: [1, 2] })
    native.asked.length = 0

    await evaluate(native, sampler, { tokens: [99] })
    await evaluate(native, sampler, { tokens: [12], sequence: 1 })
    native.context.initBatch(2)
    native.context.addToBatch(1, 0, Uint32Array.of(13), Uint32Array.of(0))
    native.context.addToBatch(0, 0, Uint32Array.of(5), Uint32Array.of(0))
    await native.context.decodeBatch()

    expect(native.asked).toEqual(['decode', 'sample a', 'decode', 'sample a', 'decode'])
  })

  test('is not taken from the reply before, which its own choice follows', async () => {
    const native = recorded()
    const [before, after] = ['a', 'b'].map((name) => new native.bindings.AddonSampler(name))
    if (!before || !after) throw new Error('no samplers')
    await evaluate(native, before, { tokens: [1, 2] })

    // The reply before was cut at 11; this one continues it.
    const token = await evaluate(native, after, { tokens: [11] })

    expect(token).toBe(13)
    expect(native.asked.slice(3)).toEqual(['decode', 'sample a', 'configure b', 'sample b'])
  })
})

test('a sampler at work is disposed of when it has chosen, and then chooses no more', async () => {
  const native = recorded()
  const sampler = new native.bindings.AddonSampler('a')
  await evaluate(native, sampler, { tokens: [1, 2] })
  native.context.initBatch(1)
  native.context.addToBatch(0, 2, Uint32Array.of(11), Uint32Array.of(0))
  const decoded = native.context.decodeBatch()

  sampler.dispose()
  const before = [...native.asked]
  native.end()
  await decoded
  await evaluate(native, new native.bindings.AddonSampler('b'), { tokens: [12] })

  expect(before).not.toContain('dispose a')
  expect(native.asked.slice(before.length)).toEqual(['dispose a', 'decode', 'configure b', 'sample b'])
})

test('one thread is what the variable says', () => {
  expect([ONE_THREAD, {}, { UV_THREADPOOL_SIZE: '4' }].map(hasOneThread)).toEqual([true, false, false])
})
