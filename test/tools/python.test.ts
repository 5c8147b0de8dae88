import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Tool, ToolContext, ToolResult } from '../../src/protocol/tool.ts'
import { createExec } from '../../src/guard/exec.ts'
import { createPython } from '../../src/tools/python.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { until } from '../support/wait.ts'
import { missing, named, processesIn, sandboxed } from '../guard/with-sandbox.ts'
import { callTool } from './call.ts'
import { runs } from '../support/runs.ts'

const hasPython = (() => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

type Session = {
  readonly cwd: string
  run(code: string): Promise<ToolResult>
  readonly context: ToolContext
  readonly tool: Tool
}

async function session(overrides: Partial<ToolContext> = {}, tool = createPython()): Promise<Session> {
  const cwd = await tempProject()
  const exec = createExec({ cwd })
  onTestFinished(() => exec.close())
  const context = toolContext(cwd, { exec, ...overrides })
  return { cwd, context, tool, run: (code) => callTool(tool, { code }, context) }
}

let shared: Promise<Session> | undefined

/** One for all the tests that leave it as it was: starting it is what takes long. */
const anySession = (): Promise<Session> =>
  (shared ??= tempProject().then((cwd) => {
    const [tool, context] = [createPython(), toolContext(cwd)]
    return { cwd, context, tool, run: (code) => callTool(tool, { code }, context) }
  }))

const ok = (text: string): ToolResult => ({ ok: true, text })

describe.skipIf(!hasPython)('python (needs python3)', () => {
  test('what one call defines the next one has', async () => {
    const { run } = await anySession()

    expect(await run('import math\nx = 40\ndef add(y):\n    return x + y')).toEqual(ok('(no output)'))
    expect(await run('add(2)')).toEqual(ok('42'))
    expect(await run('_ + math.floor(0.5)')).toEqual(ok('42'))
  })

  test('prints, then shows the value of the last expression, as a console does', async () => {
    const { run } = await anySession()

    expect(await run('print("a")\n"b"\n[1, "c"]')).toEqual(ok("a\n[1, 'c']"))
    expect(await run('None')).toEqual(ok('(no output)'))
  })

  test('an exception names the line, and nothing is lost', async () => {
    const { run } = await anySession()
    await run('kept = 1\ndef bad():\n    return 1 / 0')

    const failed = await run('x = 1\nbad()')

    expect(failed).toMatchObject({ ok: false, code: 'exit-code' })
    expect(failed.text).toMatch(/^Traceback/)
    expect(failed.text).toMatch(/File "<call \d+>", line 2, in <module>/)
    expect(failed.text).toContain('return 1 / 0')
    expect(failed.text).toMatch(/ZeroDivisionError: division by zero$/)
    expect(await run('kept')).toEqual(ok('1'))
  })

  test.each([
    ['def f(): return f()\nf()', /RecursionError/],
    ['x = (', /^ {2}File "<call \d+>", line 1\n[^]*SyntaxError/],
    ['if True:\nx', /^ {2}File "<call \d+>", line 2\n[^]*IndentationError/],
    ['input("name? ")', /EOFError: input\(\) is not possible: there is no terminal/],
    ['class E(Exception):\n    def __str__(self): raise ValueError()\nraise E()', /exception str\(\) failed/],
  ])('%j is a failure like any other', async (code, message) => {
    const { run } = await anySession()
    await run('kept = 1')

    const { ok: isOk, text } = await run(code)

    expect(isOk).toBe(false)
    expect(text).toMatch(message)
    expect(await run('kept')).toEqual(ok('1'))
  })

  test('code that was copied with its indentation runs all the same', async () => {
    const { run } = await anySession()

    expect(await run('    y = 2\n    if y:\n        y += 1\n    y')).toEqual(ok('3'))
  })

  test('leaving ends the call, not the interpreter', async () => {
    const { run } = await anySession()
    await run('kept = 1')

    expect(await run('import sys; sys.exit(2)')).toEqual({
      ok: false,
      code: 'exit-code',
      text: '[exit 2: the interpreter goes on]',
    })
    expect(await run('exit()')).toEqual(ok('[exit 0: the interpreter goes on]'))
    expect(await run('kept')).toEqual(ok('1'))
  })

  test.each([
    ['import os; os._exit(3)', /exit 3/],
    ['import os, signal; os.kill(os.getpid(), signal.SIGSEGV)', /by a signal|signal 11/],
  ])('a crash says so, and the next call starts anew: %s', async (code, how) => {
    const { run } = await session()
    await run('x = 1')

    const crashed = await run(`print("last words", flush=True)\n${code}`)

    expect(crashed).toMatchObject({ ok: false, code: 'exit-code' })
    expect(crashed.text).toMatch(/^last words\n/)
    expect(crashed.text).toMatch(how)
    expect(crashed.text).toContain('everything it had defined is lost')
    expect((await run('x')).text).toMatch(/NameError: name 'x' is not defined/)
  })

  test('at its time limit it is ended, and the model told', async () => {
    const { run } = await session({}, createPython({ callMs: 700, startMs: 30_000 }))
    await run('x = 1')

    const late = await run('print("begun", flush=True)\nwhile True: pass')

    expect(late).toEqual({
      ok: false,
      code: 'timeout',
      text: 'begun\n[Python was ended after 0.7 s: everything it had defined is lost; the next call starts a new one]',
    })
    expect((await run('x')).text).toMatch(/NameError/)
  })

  test('a cancelled call ends it; the next result says so', async () => {
    const { run, context, tool } = await session()
    await run('x = 1')
    const cancel = new AbortController()
    const waiting = callTool(
      tool,
      { code: 'import time; time.sleep(60)' },
      { ...context, signal: cancel.signal },
    )
    setTimeout(() => cancel.abort(), 200)

    await expect(waiting).rejects.toMatchObject({ details: { failure: 'interrupted' } })
    expect(await run('"x" in globals()')).toEqual(
      ok('[the last call was cancelled; this is a new Python]\nFalse'),
    )
  })

  test('one that ended between two calls is replaced, and the result says so', async () => {
    const { cwd, run } = await session()
    await run('import os, threading\nthreading.Timer(0.1, lambda: os._exit(1)).start()')
    await until(async () => (await processesIn(cwd)) === 0)

    expect(await run('1')).toEqual(ok('[Python had ended by itself; this is a new one]\n1'))
  })

  test('%reset forgets everything', async () => {
    const { run } = await session()
    await run('x = 1')

    expect(await run(' %reset\n')).toEqual(ok('Python was reset; nothing is defined.'))
    expect((await run('x')).ok).toBe(false)
  })

  test('what children and the interpreter itself print comes in order', async () => {
    const { run } = await anySession()

    const { text } = await run(
      'import os, subprocess, sys\nprint("one")\nsubprocess.run(["echo", "two"])\nos.system("echo three >&2")\nprint("four", file=sys.stderr)',
    )

    expect(text).toBe('one\ntwo\nthree\nfour')
  })

  test('a child it forks does not answer in its place', async () => {
    const { run } = await anySession()

    await run('import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)')

    expect(await run('pid > 0')).toEqual(ok('True'))
  })

  test.each([
    ['closes its streams', 'import sys\nprint("out")\nsys.stdout.close()\nsys.stderr.close()', ok('out')],
    ['replaces them', 'import io, sys\nsys.stdout = io.StringIO()\nprint("lost")', ok('(no output)')],
    ['prints bytes that are no text', 'import os\n_ = os.write(1, bytes([0, 255, 65, 27]))', ok('�A')],
    ['leaves a child that prints', 'import os\nif os.fork() == 0:\n  while True: print("y")', undefined],
    [
      'ignores signals',
      'import signal\n_ = signal.signal(signal.SIGTERM, signal.SIG_IGN)',
      ok('(no output)'),
    ],
  ])('code that %s spoils nothing for the next call', async (_, code, expected) => {
    const { run } = await session()
    await run('kept = 1')

    const result = await run(code)

    if (expected) expect(result).toEqual(expected)
    expect((await run('print("now", kept)')).text).toContain('now 1')
  })

  test('one that stopped itself and reads nothing is ended in time, however long the code', async () => {
    const { cwd, run } = await session({}, createPython({ callMs: 2_000, startMs: 60_000 }))
    await run(
      'import os, signal, threading\ndef stop():\n  open("stopping", "w").close()\n  os.kill(os.getpid(), signal.SIGSTOP)\nthreading.Timer(0.05, stop).start()',
    )
    await until(() => existsSync(join(cwd, 'stopping')))

    const late = await run(`x = "${'x'.repeat(1_000_000)}"`)

    expect(late).toMatchObject({ ok: false, code: 'timeout' })
    expect(await run('1')).toEqual(ok('1'))
  })

  test('one that does not come up can be cancelled', async () => {
    const cwd = await tempProject()
    const exec = createExec({ cwd })
    const hanging = { ...exec, open: () => exec.open(['sleep', '60']) }
    const cancel = new AbortController()
    setTimeout(() => cancel.abort(), 200)

    const waiting = callTool(
      createPython(),
      { code: '1' },
      toolContext(cwd, { exec: hanging, signal: cancel.signal }),
    )

    await expect(waiting).rejects.toMatchObject({ details: { failure: 'interrupted' } })
    expect(await processesIn(cwd)).toBe(0)
    await exec.close()
  })

  test('any text comes through both ways', async () => {
    const { run } = await anySession()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
        const codePoints = JSON.stringify([...text].map((character) => character.codePointAt(0)))

        expect(await run(`[ord(c) for c in ${JSON.stringify(text)}] == ${codePoints}`)).toEqual(ok('True'))
      }),
      { numRuns: runs(15, 50) },
    )
    expect(await run('print("grüße 😀 \\ud800 日本")')).toEqual(ok('grüße 😀 \\ud800 日本'))
  })

  test('output of any size is bounded: beginning and end are kept', async () => {
    let shown = 0
    const { run } = await session({ output: (text) => void (shown += text.length) })

    const { text } = await run('print("first")\nfor _ in range(2000): print("x" * 10000)\nprint("last")')

    expect(text.length).toBeLessThan(600_000)
    expect(text).toMatch(/^first\n/)
    expect(text).toMatch(/bytes left out/)
    expect(text).toMatch(/last$/)
    expect(shown).toBeLessThan(100_000)
  })

  test('files of the project can be imported, but do not replace modules of Python', async () => {
    const cwd = await tempProject({ 'mine.py': 'answer = 42\n', 'json.py': 'raise Exception("no")\n' })
    const context = toolContext(cwd)

    const result = await callTool(createPython(), { code: 'import mine\nmine.answer' }, context)

    expect(result).toEqual(ok('42'))
  })

  test('calls wait for each other', async () => {
    const { run } = await anySession()

    const results = await Promise.all([
      run('import time; time.sleep(0.2); x = 1'),
      run('x + 1'),
      run('x + 2'),
    ])

    expect(results.map(({ text }) => text)).toEqual(['(no output)', '2', '3'])
  })

  test('it ends with the session', async () => {
    const cwd = await tempProject()
    const exec = createExec({ cwd })
    await callTool(createPython(), { code: 'x = 1' }, toolContext(cwd, { exec }))

    await exec.close()

    expect(await processesIn(cwd)).toBe(0)
  })
})

test('a dry run says whether the code can be read', async () => {
  const { check } = createPython()
  const context = toolContext(await tempProject())

  expect(await check?.({ code: 'x = [1]' }, context)).toEqual({ ok: true })
  expect(await check?.({ code: '%reset' }, context)).toEqual({ ok: true })
  expect(await check?.({ code: 'x = 1\ny = (' }, context)).toMatchObject({
    ok: false,
    why: expect.stringMatching(/^line 2 cannot be read/),
  })
})

test('without python3 the message says what to use instead', async () => {
  const cwd = await tempProject()
  const exec = createExec({ cwd, env: { PATH: cwd } })

  await expect(callTool(createPython(), { code: '1' }, toolContext(cwd, { exec }))).rejects.toThrow(
    'python3 is not installed here; use javascript or run_command instead.',
  )
})

describe.skipIf(!hasPython || missing !== undefined)(named('python in the sandbox'), () => {
  test('writes the workspace and nothing else, and has no network', async () => {
    const cwd = await tempProject({ '.env': 'KEY=hidden-value', 'AGENTS.md': 'Be brief.' })
    const context = toolContext(cwd, { exec: await sandboxed(cwd) })
    const tool = createPython()
    const run = (code: string) => callTool(tool, { code }, context)

    expect(await run('open("made.txt", "w").write("hi")')).toEqual(ok('2'))
    expect(await readFile(join(cwd, 'made.txt'), 'utf8')).toBe('hi')
    expect((await run('open("/etc/made", "w")')).text).toMatch(/Read-only file system/)
    expect((await run('open("AGENTS.md", "w")')).ok).toBe(false)
    expect((await run('open(".env").read()')).text).not.toContain('hidden-value')
    expect((await run('import socket; socket.create_connection(("1.1.1.1", 80), 2)')).text).toMatch(
      /Network is unreachable/,
    )
    expect((await run('import ctypes; ctypes.string_at(0)')).text).toMatch(/signal 11/)
    expect(await run('1')).toEqual(ok('1'))
  })

  test('python3 that the sandbox does not find is named', async () => {
    const cwd = await tempProject()
    const exec = await sandboxed(cwd)
    const bare = { ...exec, open: () => exec.open(['no_such_python3']) }

    await expect(callTool(createPython(), { code: '1' }, toolContext(cwd, { exec: bare }))).rejects.toThrow(
      /python3 is not installed here/,
    )
  })
})
