import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childProgram } from '../support/child.ts'
import { tempProject } from '../support/project.ts'
import { fileServer } from './file-server.ts'
import { seededBytes, seededRandom } from '../support/seed.ts'
import { runs } from '../support/runs.ts'

const KIB = 1024

test('killed again and again at any moment and begun again, a file is exact', async () => {
  const content = seededBytes(4096 * KIB)
  const server = await fileServer(content)
  const folder = await tempProject()
  const random = seededRandom('killed')

  for (let round = 0; round < runs(8, 20); round++) {
    const child = startChild(server.url.href, folder)
    const deadly = server.asked.length + 2 + Math.floor(random() * 8)
    server.onRequest = (count) => {
      if (count === deadly) child.kill('SIGKILL')
    }
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
    expect(signal).toBe('SIGKILL')
  }
  delete server.onRequest
  const [code] = (await once(startChild(server.url.href, folder), 'exit')) as [number | null]

  expect(code).toBe(0)
  expect(readFileSync(join(folder, 'model.gguf')).equals(content)).toBe(true)
  expect(readdirSync(folder)).toEqual(['model.gguf'])
})

const CHILD = await childProgram(new URL('child.ts', import.meta.url))

const startChild = (url: string, folder: string) =>
  spawn(process.execPath, [CHILD, url, folder, 'through'], { stdio: 'inherit' })
