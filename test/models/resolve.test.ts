import { describe, expect, test } from 'vitest'
import { loadCatalog } from '../../src/models/catalog.ts'
import type { LocalModel } from '../../src/models/local/model.ts'
import type { Hardware } from '../../src/models/machine.ts'
import { GIB } from '../../src/models/memory.ts'
import { resolveModel } from '../../src/models/resolve.ts'

const catalog = await loadCatalog()
const hardware: Hardware = { ramFree: 12 * GIB, gpus: [] }

const here = (id: string, gib = 3): LocalModel => ({
  id,
  name: `${id}.gguf`,
  path: `/models/${id}.gguf`,
  bytes: gib * GIB,
  source: 'covey',
})

const resolve = (wish: string, ...local: LocalModel[]) => resolveModel(wish, { local, hardware, catalog })

describe('a wish', () => {
  test('that is here is resolved to its file', () => {
    expect(resolve('qwen3.5:4b:4bit', here('qwen3.5:4b:q4_k_m'))).toEqual({
      id: 'qwen3.5:4b:q4_k_m',
      path: '/models/qwen3.5:4b:q4_k_m.gguf',
      entry: expect.objectContaining({ title: 'Qwen3.5 4B' }),
      window: 32_768,
      workers: 7,
      command: 'covey --model qwen3.5:4b:q4_k_m --window 32768',
    })
  })

  test('without a quantisation takes the best of those that are here', () => {
    const { id } = resolve('qwen3.5:4b', here('qwen3.5:4b:q4_k_m'), here('qwen3.5:4b:q5_k_m'))

    expect(id).toBe('qwen3.5:4b:q5_k_m')
  })

  test('that is not here is an error with the command that gets it, never another choice', () => {
    expect(() => resolve('qwen3.5:4b:q5_k_m', here('qwen3.5:4b:q4_k_m'))).toThrow(
      expect.objectContaining({
        code: 'model-unavailable',
        message: 'qwen3.5:4b:q5_k_m is not on this machine. Get it with: covey models pull qwen3.5:4b:q5_k_m',
      }),
    )
  })

  test('that does not fit is an error, whether it is here or not', () => {
    const error = expect.objectContaining({
      code: 'model-unavailable',
      message: expect.stringContaining('it does not fit by'),
    })

    expect(() => resolve('qwen3.6:27b:q4_k_m')).toThrow(error)
    expect(() => resolve('qwen3.6:27b:q4_k_m', here('qwen3.6:27b:q4_k_m', 15.7))).toThrow(error)
  })

  test('that is unknown is an error with the nearest name', () => {
    expect(() => resolve('qwen3-coderr:30b')).toThrow(
      expect.objectContaining({
        code: 'config-invalid',
        message: expect.stringContaining('did you mean qwen3-coder'),
      }),
    )
  })

  test('for a file that only this machine knows is resolved without a window', () => {
    const mine = { ...here('mistral:7b:q4_k_m'), name: 'mistral:7b' }

    expect(resolve('mistral:7b', mine)).toEqual({
      id: 'mistral:7b:q4_k_m',
      path: '/models/mistral:7b:q4_k_m.gguf',
      workers: 1,
      command: 'covey --model mistral:7b',
    })
  })

  test('is judged by the real size of the file', () => {
    expect(() => resolve('qwen3.5:4b:q4_k_m', here('qwen3.5:4b:q4_k_m', 20))).toThrow('does not fit by')
  })
})

describe('auto', () => {
  test('is the best of what is here, and says what would be better', () => {
    expect(resolve('auto', here('qwen3.5:2b:q4_k_m', 1.2), here('qwen3.5:4b:q4_k_m', 2.6))).toMatchObject({
      id: 'qwen3.5:4b:q4_k_m',
      command: 'covey --model qwen3.5:4b:q4_k_m --window 32768',
      note: 'qwen3.5:9b:q4_k_m would do better here; get it with: covey models pull qwen3.5:9b:q4_k_m',
    })
  })

  test('says nothing more where the best is here', () => {
    expect(resolve('auto', here('qwen3.5:9b:q4_k_m', 5.3))).not.toHaveProperty('note')
  })

  test('with nothing here is an error with the command that gets the best', () => {
    expect(() => resolve('auto')).toThrow('get it with: covey models pull qwen3.5:9b:q4_k_m')
  })

  test('on an unknown machine is an error', () => {
    const parts = { local: [here('qwen3.5:4b:q4_k_m')], hardware: { gpus: [] }, catalog }

    expect(() => resolveModel('auto', parts)).toThrow('is not known; name a model')
  })
})
