import { expect, test } from 'vitest'
import { createPython } from '../../src/tools/python.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { callTool } from './call.ts'

test('one line of 1 GB costs this process no memory (needs python3)', async () => {
  const tool = createPython()
  const context = toolContext(await tempProject())
  const run = (code: string) => callTool(tool, { code }, context)
  await run('import os, sys\npiece = b"x" * 1_000_000\nfor _ in range(100): os.write(1, piece)')
  const before = process.memoryUsage().rss
  let most = before
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20)

  const { text } = await run('print("first")\nfor _ in range(1000): os.write(1, piece)\nprint("last")')

  clearInterval(timer)
  expect(text.length).toBeLessThan(600_000)
  expect(text).toMatch(/^first\nx+\n\[… \d+ bytes left out …\]\nx+last$/)
  expect(most - before).toBeLessThan(50 * 1024 * 1024)
})
