import { describe, expect, test } from 'vitest'
import { firstOfEach, nextOfEach } from '../../../src/nano/steps/each.ts'
import type { NanoCall, NanoStep } from '../../../src/nano/steps/run.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const files = createFiles({
  root: await tempProject({
    'invoices/old/inv_198.txt': 'a',
    'invoices/old/inv_199.txt': 'b',
    'posters/drafts/sale.txt': 'a',
    'posters/drafts/tax.txt': 'b',
    'posters/drafts/plan.md': 'c',
    'docs/a.md': 'a',
  }),
})

const call = (name: string, input: NanoCall['input']): NanoCall => ({ name, input })
const step = (made: NanoCall): NanoStep => ({ call: made, ok: true, text: '', shown: '' })

describe('a folder where its files are meant', () => {
  test.each<[string, NanoCall, NanoCall | undefined]>([
    [
      'delete both invoices in invoices/old',
      call('delete_file', { path: 'invoices/old/' }),
      call('delete_file', { path: 'invoices/old/inv_198.txt' }),
    ],
    [
      'delete the two text files in posters/drafts',
      call('delete_file', { path: 'posters/drafts' }),
      call('delete_file', { path: 'posters/drafts/sale.txt' }),
    ],
    [
      'move all the files from invoices/old to archive',
      call('move_file', { from: 'invoices/old/', to: 'archive/' }),
      call('move_file', { from: 'invoices/old/inv_198.txt', to: 'archive/inv_198.txt' }),
    ],
    ['that is all noise, delete invoices/old', call('delete_file', { path: 'invoices/old/' }), undefined],
    ['delete invoices/old', call('delete_file', { path: 'invoices/old/' }), undefined],
    ['delete all the folders in invoices', call('delete_file', { path: 'invoices/' }), undefined],
    ['delete all three files in invoices/old', call('delete_file', { path: 'invoices/old/' }), undefined],
    ['delete all of posters/drafts except tax', call('delete_file', { path: 'posters/drafts/' }), undefined],
  ])('%s', async (clause, made, wanted) => {
    expect(await firstOfEach(made, clause, files)).toEqual(wanted)
  })
})

describe('after one of them', () => {
  test('the next one follows, until there is none', async () => {
    const clause = 'copy both old invoices to docs'
    const first = call('copy_file', { from: 'invoices/old/inv_198.txt', to: 'docs/inv_198.txt' })
    const second = call('copy_file', { from: 'invoices/old/inv_199.txt', to: 'docs/inv_199.txt' })

    expect(await nextOfEach([step(first)], clause, files)).toEqual(second)
    expect(await nextOfEach([step(first), step(second)], clause, files)).toBeUndefined()
  })

  test('those that are gone are counted', async () => {
    const gone = step(call('delete_file', { path: 'posters/drafts/gone.txt' }))

    expect(await nextOfEach([gone], 'delete all three text files in posters/drafts', files)).toEqual(
      call('delete_file', { path: 'posters/drafts/sale.txt' }),
    )
  })

  test('nothing follows where one was meant, or where it failed', async () => {
    const read = step(call('read_file', { path: 'invoices/old/inv_198.txt' }))

    expect(await nextOfEach([read], 'show the first old invoice', files)).toBeUndefined()
    expect(await nextOfEach([{ ...read, ok: false }], 'show both old invoices', files)).toBeUndefined()
  })
})
