import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadScript } from '../../src/provider/load-script.ts'
import { ask, askInVain } from './ask.ts'

async function scriptOf(...lines: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'covey-script-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'script.jsonl')
  await writeFile(path, lines.join('\n'))
  return path
}

test('a file of JSON lines is a script', async () => {
  const path = await scriptOf(
    '// first it looks',
    '{"reasoning":"Hm.","text":"Looking.","calls":[{"name":"read_file","input":{"path":"a"}},{"name":"x","input":"{broken"}]}',
    '',
    '{"text":"Cut","finish":"length","usage":{"prompt":10,"completion":3,"cached":8}}',
    '{"text":"Half","error":{"code":"model-unavailable","message":"gone","status":502}}',
  )
  const model = await loadScript(path)

  const first = await ask(model)
  const second = await ask(model)
  const third = await askInVain(model)

  expect(first).toEqual([
    { type: 'reasoning-delta', text: 'Hm.' },
    { type: 'text-delta', text: 'Looking.' },
    { type: 'tool-call', call: { id: 'call-1', name: 'read_file', input: '{"path":"a"}' } },
    { type: 'tool-call', call: { id: 'call-2', name: 'x', input: '{broken' } },
    { type: 'finish', reason: 'tool-calls' },
  ])
  expect(second).toEqual([
    { type: 'text-delta', text: 'Cut' },
    { type: 'usage', usage: { prompt: 10, completion: 3, cached: 8 } },
    { type: 'finish', reason: 'length' },
  ])
  expect(third).toEqual({
    events: [{ type: 'text-delta', text: 'Half' }],
    code: 'model-unavailable',
    message: 'gone',
    details: { status: 502 },
  })
})

test('a line that is no reply is named with its place', async () => {
  const path = await scriptOf('{"text":"ok"}', '{"says":"oops"}')

  await expect(loadScript(path)).rejects.toThrow(`${path}:2: this line is not a valid scripted reply.`)
})

test('a missing file is named', async () => {
  await expect(loadScript('/nowhere/script.jsonl')).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining('Cannot read the script /nowhere/script.jsonl') as string,
  })
})
