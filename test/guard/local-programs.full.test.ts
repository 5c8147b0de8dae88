/** Local programs: servers of other users on ports that Covey looks at, and chat templates that do not want to end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTemplate, templateLimits } from '../../src/lib/template-process.ts'
import { ownersOf } from '../../src/router/listeners.ts'

/** No account has it. */
const UID = 61_234
const isRoot = process.getuid?.() === 0
const skipped = process.platform === 'linux' && isRoot ? '' : ' (skipped: needs root on Linux)'

/** A process of another user that listens; the port it got. */
async function listenAs(uid: number, options: object): Promise<number> {
  const code = `const s = require('node:net').createServer().listen(${JSON.stringify(options)}, () => console.log(s.address().port))`
  const child = spawn(process.execPath, ['-e', code], { uid, gid: uid, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return Number(line.toString())
}

describe.skipIf(skipped !== '')(`a server of another user${skipped}`, () => {
  test.each([
    ['on loopback', { port: 0, host: '127.0.0.1' }],
    ['on another address of loopback', { port: 0, host: '127.9.9.9' }],
    ['on every address', { port: 0, host: '0.0.0.0' }],
    ['on IPv6 alone', { port: 0, host: '::1', ipv6Only: true }],
    ['on both', { port: 0, host: '::' }],
    ['on IPv4 within IPv6', { port: 0, host: '::ffff:127.0.0.1' }],
  ])('%s is known by its user', async (_, options) => {
    expect(ownersOf(await listenAs(UID, options))).toEqual([UID])
  })

  test('that shares a port with one of this user is known beside it', async () => {
    const port = await listenAs(0, { port: 0, host: '127.0.0.1' })
    await listenAs(UID, { port, host: '::1' })

    expect(new Set(ownersOf(port))).toEqual(new Set([0, UID]))
  })
})

test.each([
  ['a macro that calls itself', '{% macro f(n) %}{{ f(n + 1) }}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}'],
  ['a list of numbers without an end', '{{ range(1000000000) | list | length }}'],
  [
    'a text that is replaced by longer ones',
    "{% set n = namespace(t='aaaaaaaa') %}{% for i in range(40) %}{% set n.t = n.t | replace('a', 'aaaaaaaa') %}{% endfor %}{{ n.t }}",
  ],
  [
    'a text that is joined from itself',
    "{% set n = namespace(t='abcdefgh') %}{% for i in range(60) %}{% set n.t = [n.t, n.t, n.t] | join(n.t) %}{% endfor %}",
  ],
  [
    'a list that holds itself',
    '{% set n = namespace(l=[]) %}{% for i in range(100) %}{% set n.l = [n.l, n.l] %}{% endfor %}{{ n.l | tojson }}',
  ],
  ['loops in loops in loops', `${'{% for a in range(3000) %}'.repeat(5)}x${'{% endfor %}'.repeat(5)}`],
])('a template with %s ends within its limits', async (_, text) => {
  const started = performance.now()

  const reply = await openTemplate(text)({ messages: [] }).then(
    (rendered) => `${rendered.length} characters`,
    (error: { code?: string }) => error.code,
  )

  // The limit on time, with room for a machine that is busy with other things.
  expect(performance.now() - started).toBeLessThan(templateLimits.renderMs * 10)
  expect(['model-unavailable', 'request-invalid']).toContain(reply)
})
