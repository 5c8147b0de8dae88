import { describe, expect, onTestFinished, test } from 'vitest'
import { createExec } from '../../src/guard/exec.ts'
import { processesIn } from '../guard/with-sandbox.ts'
import { tempProject } from '../support/project.ts'
import { eventually } from '../support/wait.ts'
import { runs } from '../support/runs.ts'

const MIB = 1_048_576
const SIZE = runs(100_000_000, 1_000_000_000)

async function openExec() {
  const cwd = await tempProject()
  const exec = createExec({ cwd })
  onTestFinished(() => exec.close())
  return { cwd, exec }
}

describe('a command that prints without end', () => {
  test.each([
    ['nothing but zeros', `head -c ${10 * SIZE} /dev/zero`, 10 * SIZE],
    ['escape codes', `yes "$(printf '\\033[2J\\033]0;title\\007')" | head -c ${SIZE}`, SIZE],
    ['noise', `head -c ${SIZE} /dev/urandom`, SIZE],
  ])('a flood of %s costs less than 50 MB', async (_, command, bytes) => {
    const { exec } = await openExec()
    const options = { timeoutMs: 500_000, signal: new AbortController().signal }
    await exec.shell('head -c 200000000 /dev/zero', options)
    const before = process.memoryUsage().rss
    let most = before
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20)

    const result = await exec.shell(command, options)

    clearInterval(timer)
    expect(result).toMatchObject({ timedOut: false, omittedBytes: bytes - 512 * 1024 })
    expect(result.output.length).toBeLessThan(600_000)
    expect(most - before).toBeLessThan(50 * MIB)
  })
})

test('a command that forks fifty children who ignore TERM and TTY signals is ended with all of them', async () => {
  const { cwd, exec } = await openExec()
  const cancel = new AbortController()
  const stubborn = `trap '' TERM HUP INT; for i in $(seq 50); do (while :; do sleep 1; done) & done; wait`
  const running = exec.shell(stubborn, { timeoutMs: 60_000, signal: cancel.signal })
  await eventually(async () => expect(await processesIn(cwd)).toBeGreaterThan(50))

  cancel.abort()
  await running

  expect(await processesIn(cwd)).toBe(0)
})
