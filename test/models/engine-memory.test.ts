import { describe, expect, test } from 'vitest'
import { engineAdvice, usableHardware } from '../../src/models/engine-memory.ts'
import type { Gpu, Hardware } from '../../src/models/machine.ts'

const GIB = 2 ** 30
const nvidia: Gpu = { vendor: 'nvidia', name: 'RTX 3070', totalBytes: 8 * GIB, freeBytes: 7 * GIB }
const amd: Gpu = { vendor: 'amd', name: 'RX 6600', totalBytes: 16 * GIB, freeBytes: 16 * GIB }
const apple: Gpu = { vendor: 'apple', name: 'Apple M2', freeBytes: 10 * GIB, unified: true }
const machine = (...gpus: readonly Gpu[]): Hardware => ({ cores: 8, ramFree: 16 * GIB, gpus })

describe('memory counts only where the build in use computes', () => {
  test.each([
    ['cpu', []],
    ['cuda', [nvidia]],
    ['vulkan', [nvidia, amd]],
    ['metal', [apple]],
  ] as const)('%s', (build, gpus) => {
    expect(usableHardware(machine(nvidia, amd, apple), build).gpus).toEqual(gpus)
  })
})

describe('a card that lies idle is worth a hint', () => {
  test('an NVIDIA card on the processor build', () => {
    expect(engineAdvice(machine(nvidia), 'cpu', true)).toEqual({
      add: 'cuda',
      text: 'add cuda to use the 8 GB card (RTX 3070): covey engine add cuda',
    })
  })

  test('of several cards the largest', () => {
    expect(engineAdvice(machine(nvidia, amd), 'cpu', true)?.add).toBe('vulkan')
  })

  test.each([
    ['all cards in use', machine(nvidia), 'cuda', true],
    ['no card', machine(), 'cpu', true],
    ['Apple silicon, whose build is in the package', machine(apple), 'metal', true],
    ['a platform without such builds', machine(nvidia), 'cpu', false],
  ] as const)('none for %s', (_, hardware, build, canAdd) => {
    expect(engineAdvice(hardware, build, canAdd)).toBeUndefined()
  })
})
