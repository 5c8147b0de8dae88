/** A client works in a folder the server does not see: what is known of it, and what is looked at first. */
import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/nano/decide.ts'
import { EVERYTHING, lookFor } from '../../../src/nano/client/look-first.ts'
import type { NanoCall, NanoStep } from '../../../src/nano/steps/run.ts'
import { seenFiles } from '../../../src/nano/client/seen-files.ts'

const step = (name: string, input: NanoCall['input'], text = ''): NanoStep => ({
  call: { name, input },
  ok: true,
  text,
  shown: text,
})

const listing = step('find_files', { pattern: EVERYTHING }, 'README.md\ndocs\ndocs/a.md\npackage.json')
const reading = step('read_file', { path: 'docs/a.md' }, '1\tport: 1\n2\tname: x')

describe('what is known of a folder', () => {
  test('is what its listing and its files said', async () => {
    const files = seenFiles([listing, reading])

    expect(await files.list('.')).toEqual(['README.md', 'docs/', 'package.json'])
    expect(await files.list('docs')).toEqual(['a.md'])
    expect(await files.read('docs/a.md')).toBe('port: 1\nname: x\n')
    expect([await files.info('docs'), await files.info('README.md'), await files.info('none')]).toMatchObject(
      [{ kind: 'folder' }, { kind: 'file' }, undefined],
    )
    await expect(files.read('README.md')).rejects.toThrow('was not read yet')
  })

  test('and what calls changed since', async () => {
    const files = seenFiles([
      listing,
      reading,
      step('edit_file', { path: 'docs/a.md', old: 'port: 1', new: 'port: 2' }),
      step('write_file', { path: 'docs/a.md', content: 'last', append: true }),
      step('copy_file', { from: 'docs', to: 'old' }),
      step('move_file', { from: 'README.md', to: 'docs/readme.md' }),
      step('delete_file', { path: 'package.json' }),
      { ...step('delete_file', { path: 'docs/a.md' }), ok: false },
    ])

    expect(await files.read('old/a.md')).toBe('port: 2\nname: x\nlast\n')
    expect(await files.list('.')).toEqual(['docs/', 'old/'])
    expect(await files.list('docs')).toEqual(['a.md', 'readme.md'])
  })
})

describe('first is looked at', () => {
  const look = (request: string, decision: Decision, looks: readonly NanoStep[] = [], category = 'write') =>
    lookFor(decision, {
      clause: request,
      request,
      category: category as 'write',
      seen: seenFiles(looks),
      looks,
      confidence: 0.7,
    })
  const call = (name: string, input: NanoCall['input']): Decision => ({ kind: 'call', call: { name, input } })
  const unclear: Decision = { kind: 'refuse', reason: 'unclear' }
  const everything = { name: 'find_files', input: { pattern: EVERYTHING } }

  test.each<[string, Decision]>([
    ['show the readme', call('read_file', { path: 'readme' })],
    ['set the port to 2', unclear],
    [
      'run the tests',
      { kind: 'guess', call: { name: 'run_command', input: { command: 'tests' } }, why: '', isLikely: false },
    ],
  ])('which files there are: %s', (request, decision) => {
    expect(look(request, decision)).toEqual(everything)
  })

  test('the file that is to be changed', () => {
    const read = { name: 'read_file', input: { path: 'docs/a.md' } }

    expect(
      look('change x to y in docs/a.md', call('edit_file', { path: 'docs/a.md', old: 'x', new: 'y' })),
    ).toEqual(read)
    expect(look('set the port in a.md to 2', unclear, [listing])).toEqual(read)
    expect(look('set the port in a.md to 2', unclear, [listing, reading])).toBeUndefined()
  })

  test('what can be run', () => {
    const read = { name: 'read_file', input: { path: 'package.json' } }

    expect(look('run the tests', unclear, [listing], 'run')).toEqual(read)
  })

  test.each<[string, Decision]>([
    ['show docs/a.md', call('read_file', { path: 'docs/a.md' })],
    ['run npm test', call('run_command', { command: 'npm test' })],
    ['find all csv files', call('find_files', { pattern: '**/*.csv' })],
    ['show the Makefile', call('read_file', { path: 'Makefile' })],
    ['hello', { kind: 'refuse', reason: 'chat' }],
    ['do not delete a.md', { kind: 'refuse', reason: 'not-asked' }],
    ['do not delete a.md', { kind: 'doubt', call: { name: 'delete_file', input: { path: 'a.md' } } }],
    ['this build again', unclear],
  ])('nothing: %s', (request, decision) => {
    expect(look(request, decision)).toBeUndefined()
  })
})
