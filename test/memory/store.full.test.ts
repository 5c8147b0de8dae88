/** The memory under fire: killed again and again while it writes, and written by several processes at once. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { childProgram } from '../support/child.ts'
import { memoryIn, tempDatabase } from './memories.ts'
import { runs } from '../support/runs.ts'

const script = await childProgram(new URL('add-forever.ts', import.meta.url))

type Writer = { readonly child: ChildProcess; said(): readonly string[] }

function startWriter(path: string): Writer {
  const child = spawn(process.execPath, [script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return { child, said: () => output.split('\n').slice(0, -1) }
}

async function killAfter({ child, said }: Writer, facts: number): Promise<readonly string[]> {
  while (said().length < facts) await new Promise((resolve) => setTimeout(resolve, 5))
  child.kill('SIGKILL')
  await once(child, 'close')
  return said()
}

async function keptIn(path: string): Promise<{ texts: ReadonlySet<string>; ids: readonly number[] }> {
  const facts = await (await memoryIn(path)).list()
  return { texts: new Set(facts.map(({ text }) => text)), ids: facts.map(({ id }) => id) }
}

test('killed again and again at any moment, it loses nothing it acknowledged', async () => {
  const path = tempDatabase()
  const acknowledged: string[] = []

  for (let round = 0; round < runs(12, 40); round++) {
    acknowledged.push(...(await killAfter(startWriter(path), 1 + ((round * 7) % 23))))
  }

  const { texts } = await keptIn(path)
  expect(acknowledged.filter((text) => !texts.has(text))).toEqual([])
  expect(readdirSync(dirname(path)).filter((name) => name.includes('damaged'))).toEqual([])
})

test('three processes write at once, and no fact is lost or has an id of another', async () => {
  const path = tempDatabase()
  const writers = [startWriter(path), startWriter(path), startWriter(path)]

  const acknowledged = (await Promise.all(writers.map((writer) => killAfter(writer, 60)))).flat()

  const { texts, ids } = await keptIn(path)
  expect(acknowledged.filter((text) => !texts.has(text))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
})
