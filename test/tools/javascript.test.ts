import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createExec } from '../../src/guard/exec.ts'
import type { ToolContext, ToolResult } from '../../src/protocol/tool.ts'
import { toFunctionBody } from '../../src/tools/interpreter/javascript-code.ts'
import { createJavascript } from '../../src/tools/javascript.ts'
import { missing, named, processesIn, sandboxed } from '../guard/with-sandbox.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { callTool } from './call.ts'

type Session = (code: string) => Promise<ToolResult>

async function session(overrides: Partial<ToolContext> = {}, tool = createJavascript()): Promise<Session> {
  const context = toolContext(await tempProject({ 'mine.mjs': 'export const answer = 42\n' }), overrides)
  return (code) => callTool(tool, { code }, context)
}

let shared: Promise<Session> | undefined

/** One for all the tests that leave it as it was: starting it is what takes long. */
const anySession = (): Promise<Session> => (shared ??= session())

const ok = (text: string): ToolResult => ({ ok: true, text })

describe('javascript', () => {
  test('what one call declares the next one has, and may declare again', async () => {
    const run = await anySession()

    expect(
      await run(
        'const x = 40, { a, b: [c = 5] } = { a: 1, b: [] }\nlet later\nfunction f(y) { return x + y }\nclass A { m() { return 6 } }',
      ),
    ).toEqual(ok('(no output)'))
    expect(await run('[f(2), a, c, later, new A().m()]')).toEqual(ok('[ 42, 1, 5, undefined, 6 ]'))
    expect(await run('const x = 1\nclass A {}\nf(1)')).toEqual(ok('2'))
    expect(await run('_')).toEqual(ok('2'))
  })

  test('waits at the top, requires and imports, files of the project too', async () => {
    const run = await anySession()

    expect(await run('const x = await Promise.resolve("ü😀")\nx')).toEqual(ok("'ü😀'"))
    expect(await run('import { answer as found } from "./mine.mjs"\nfound')).toEqual(ok('42'))
    expect(
      await run(
        'import path, { join } from "node:path"\nimport * as all from "path"\n[path.join === join, all.join === join]',
      ),
    ).toEqual(ok('[ true, true ]'))
    expect(await run('(await import("./mine.mjs")).answer')).toEqual(ok('42'))
    expect(await run('require("fs").readdirSync(".")')).toEqual(ok("[ 'mine.mjs' ]"))
  })

  test('what the console and children print is heard', async () => {
    const run = await anySession()

    const { text } = await run(
      'console.log("one", { a: 1 })\nrequire("child_process").execSync("echo two", { stdio: "inherit" })\nvoid 0',
    )

    expect(text).toBe('one { a: 1 }\ntwo')
  })

  test('an error names the line and nothing is lost; a later one is reported later', async () => {
    const run = await anySession()
    await run('const kept = 1')

    expect(await run('const a = 1\nnope()')).toEqual({
      ok: false,
      code: 'exit-code',
      text: expect.stringMatching(/^ReferenceError: nope is not defined\n {4}at call-\d+\.js:2:1$/),
    })
    expect((await run('const = 1')).text).toMatch(/SyntaxError/)
    expect(await run('setTimeout(() => { throw new Error("later") }, 200); kept')).toEqual(ok('1'))
    expect((await run('await new Promise((done) => setTimeout(done, 500)); kept')).text).toMatch(
      /^Error: later\n[^]*\n1$/,
    )
  })

  test('a crash says so, and the next call starts anew', async () => {
    const run = await session()
    await run('const x = 1')

    expect(await run('console.log("last words"); process.exit(4)')).toEqual({
      ok: false,
      code: 'exit-code',
      text: 'last words\n[JavaScript ended in the middle (exit 4): everything it had defined is lost; the next call starts a new one]',
    })
    expect((await run('x')).text).toMatch(/ReferenceError: x is not defined/)
  })

  test('code that closes its output goes on in silence', async () => {
    const run = await session({}, createJavascript({ callMs: 10_000, startMs: 30_000 }))

    await run('x = 1; process.stdout.end()')
    const next = await run(
      'await require("fs").promises.writeFile("made", String(x + 1)); console.error("heard")',
    )

    expect(next.ok).toBe(true)
    expect(next.text).toContain('heard')
  })

  test('code that speaks to a parent process has no effect', async () => {
    const run = await session()

    expect(await run('process.send?.("ready"); process.send?.({ ok: false }); 1')).toEqual(ok('1'))
    expect(await run('process.send?.(null); 2')).toEqual(ok('2'))
  })

  test('a child that holds its output open does not keep it alive', async () => {
    const run = await session()

    const { text } = await run(
      'require("child_process").spawn("sleep", ["60"], { stdio: "inherit" }); process.exit(4)',
    )

    expect(text).toMatch(/^\[JavaScript ended in the middle \(exit 4\)/)
  })

  test('at its time limit it is ended, and the model told', async () => {
    const run = await session({}, createJavascript({ callMs: 700, startMs: 30_000 }))
    await run('0')

    expect(await run('for (;;);')).toEqual({
      ok: false,
      code: 'timeout',
      text: '[JavaScript was ended after 0.7 s: everything it had defined is lost; the next call starts a new one]',
    })
  })

  test('output of any size is bounded: beginning and end are kept', async () => {
    const run = await anySession()

    const { text } = await run(
      'console.log("first"); for (let i = 0; i < 2000; i++) console.log("x".repeat(10000)); console.log("last")',
    )

    expect(text.length).toBeLessThan(600_000)
    expect(text).toMatch(/^first\n/)
    expect(text).toMatch(/last$/)
  })

  test('it ends with the session', async () => {
    const cwd = await tempProject()
    const exec = createExec({ cwd })
    await callTool(createJavascript(), { code: '1' }, toolContext(cwd, { exec }))

    await exec.close()

    expect(await processesIn(cwd)).toBe(0)
  })
})

describe.skipIf(missing !== undefined)(named('javascript in the sandbox'), () => {
  test('writes the workspace and nothing else, and has no network', async () => {
    const cwd = await tempProject()
    const run = await session({ exec: await sandboxed(cwd) })

    await run('require("fs").writeFileSync("made.txt", "hi")')

    expect(await readFile(join(cwd, 'made.txt'), 'utf8')).toBe('hi')
    expect((await run('require("fs").writeFileSync("/etc/made", "")')).text).toMatch(/EROFS/)
    expect((await run('await fetch("http://1.1.1.1")')).text).toMatch(/ENETUNREACH/)
  })
})

describe('code becomes a function body', () => {
  test.each([
    ['1 + 1 // sum', 'return (1 + 1) // sum'],
    ['f()\n', 'return (f())\n'],
    ['const a = 1, b = 2;', 'void ((a = 1), (b = 2));;'],
    ['let a', 'void ((a = undefined));'],
    ['for (const a of b) { let c = 1 }', 'for (const a of b) { let c = 1 }'],
    ['const s = `\nconst x = 1\n`', 'void ((s = `\nconst x = 1\n`));'],
    ['"ü😀"; const a = 1', '"ü😀"; void ((a = 1));'],
    ['function f() {}', 'function f() {};globalThis.f = f;'],
    ['class A {}', 'void (A = class A {});'],
    ['import "x"', 'await import("x");'],
    [
      'import {\n  a,\n  b as c,\n} from "x"',
      'void (await import("x").then((m) => { globalThis.a = m["a"]; globalThis.c = m["b"] }));\n\n\n',
    ],
    ['', ''],
  ])('%j', async (code, body) => {
    expect(await toFunctionBody(code)).toBe(body)
  })
})
