import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAddresses } from '../../../src/federation/lan/addresses.ts'

describe('the addresses of a paired machine', () => {
  test('are tried from the safest to what anybody announces', () => {
    const addresses = createAddresses({ proven: ['a:1', 'b:1'], configured: ['c:1', 'a:1'] })
    addresses.add('x:1', 'announced')
    addresses.add('d:1', 'told')

    expect(addresses.inOrder()).toEqual([['a:1'], ['b:1', 'c:1'], ['d:1', 'x:1']])
  })

  test('the one where it answered comes first from then on', () => {
    const addresses = createAddresses({ proven: ['a:1'], configured: [] })
    addresses.add('x:1', 'announced')

    addresses.met('x:1')

    expect(addresses.inOrder()).toEqual([['x:1'], ['a:1']])
  })

  test('no flood of announcements takes the place of a proven, configured or told one, or grows', () => {
    const flood = fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.constantFrom('announced' as const)), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(flood, (announced) => {
        const addresses = createAddresses({ proven: ['a:1', 'b:1'], configured: ['c:1'] })
        addresses.add('d:1', 'told')
        for (const [address, from] of announced) addresses.add(address, from)

        const [first, second, third = []] = addresses.inOrder()
        expect(first).toEqual(['a:1'])
        expect(second).toEqual(['b:1', 'c:1'])
        expect(third[0]).toBe('d:1')
        expect(third.length).toBeLessThanOrEqual(10)
      }),
    )
  })

  test('a machine of which nothing is known has none', () => {
    expect(createAddresses({ proven: [], configured: [] }).inOrder()).toEqual([])
  })
})
