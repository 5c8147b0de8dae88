import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { type ClosableExec, createExec } from '../../src/guard/exec.ts'
import type { Program } from '../../src/protocol/tool.ts'
import { tempProject } from '../support/project.ts'
import { missing, named, processesIn, sandboxed } from './with-sandbox.ts'
import { eventually } from '../support/wait.ts'

const open: ClosableExec[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((exec) => exec.close()))
})

function start(cwd: string): ClosableExec {
  const exec = createExec({ cwd })
  open.push(exec)
  return exec
}

/** Everything it prints until what was printed satisfies. */
async function readUntil(program: Program, isEnough: (text: string) => boolean): Promise<string> {
  let text = ''
  for await (const bytes of program.output) {
    text += Buffer.from(bytes).toString()
    if (isEnough(text)) break
  }
  return text
}

async function readAll(program: Program): Promise<string> {
  return readUntil(program, () => false)
}

const kinds = [
  ['without a sandbox', async (cwd: string) => start(cwd), undefined],
  [named('in the sandbox'), sandboxed, missing],
] as const

describe.each(kinds)('a program that stays, %s', (_, starting, why) => {
  test.skipIf(why)('is written to and answers', async () => {
    const program = await (await starting(await tempProject())).open(['cat'])

    await program.write(Buffer.from('grüße\n'))

    expect(await readUntil(program, (text) => text.endsWith('\n'))).toBe('grüße\n')
  })

  test.skipIf(why)('says how it ended, and what it complained about', async () => {
    const program = await (await starting(await tempProject())).open(['sh', '-c', 'echo oops >&2; exit 3'])

    expect(await readAll(program)).toBe('')
    expect(await program.ended).toEqual({ exitCode: 3 })
    expect(program.complaints()).toBe('oops')
    await expect(program.write(Buffer.alloc(1))).rejects.toThrow(/is over/)
  })

  test.skipIf(why)('ends with its signal, children and all', async () => {
    const cwd = await tempProject()
    const cancel = new AbortController()
    const program = await (
      await starting(cwd)
    ).open(['sh', '-c', "trap '' TERM; sleep 60 & sleep 60 & echo up; wait"], { signal: cancel.signal })
    await readUntil(program, (text) => text === 'up\n')

    cancel.abort()
    await program.ended

    await eventually(async () => expect(await processesIn(cwd)).toBe(0))
  })

  test.skipIf(why)('ends with the session', async () => {
    const cwd = await tempProject()
    const exec = await starting(cwd)
    const program = await exec.open(['sh', '-c', 'echo up; sleep 60'])
    await readUntil(program, (text) => text === 'up\n')

    await exec.close()

    expect(await processesIn(cwd)).toBe(0)
  })

  test.skipIf(why)('waits for a slow reader', async () => {
    const cwd = await tempProject()
    const program = await (
      await starting(cwd)
    ).open(['sh', '-c', 'for i in 1 2 3 4 5 6 7 8; do head -c 1000000 /dev/zero; echo $i > written; done'])
    await pause(700)

    // What it has written by now is what the pipes hold.
    expect(await readFile(join(cwd, 'written'), 'utf8').catch(() => 'nothing')).toBe('nothing')
    let bytes = 0
    for await (const piece of program.output) bytes += piece.length
    expect(bytes).toBe(8_000_000)
  })
})

test('what it printed before its end can be read long after', async () => {
  const program = await start(await tempProject()).open(['echo', 'late'])
  await program.ended
  await pause(1300)

  expect(await readAll(program)).toBe('late\n')
})

test('a program that is not installed says so', async () => {
  const program = await start(await tempProject()).open(['no_such_program'])

  await expect(program.ended).rejects.toThrow(/no_such_program could not be started/)
})

test('one that was cancelled before is not started', async () => {
  await expect(start(await tempProject()).open(['cat'], { signal: AbortSignal.abort() })).rejects.toThrow(
    /abort/,
  )
})

describe.skipIf(missing !== undefined)(named('its sandbox'), () => {
  test('is that of commands: no network, nothing written outside, nothing secret seen', async () => {
    const cwd = await tempProject({ '.env': 'KEY=hidden-value' })
    const program = await (
      await sandboxed(cwd)
    ).open([
      'sh',
      '-c',
      'cat .env; touch inside; touch /etc/outside || echo closed; cat < /dev/tcp/1.1.1.1/80 || echo offline',
    ])

    const said = await readAll(program)

    expect(said).not.toContain('hidden-value')
    expect(said).toMatch(/closed\noffline\n$/)
    expect(await readFile(join(cwd, 'inside'), 'utf8')).toBe('')
  })

  test('leaves no stand-ins behind', async () => {
    const cwd = await tempProject()
    const program = await (await sandboxed(cwd)).open(['cat'])

    await program.kill()

    await eventually(async () =>
      expect(await readFile(join(cwd, 'AGENTS.md')).catch(() => 'gone')).toBe('gone'),
    )
  })
})
