import { describe, expect, test } from 'vitest'
import { openTemplate, templateLimits } from '../../src/lib/template-process.ts'

const limits = { ...templateLimits, renderMs: 300 }

test('a template is rendered', async () => {
  const render = openTemplate('{% for m in messages %}[{{ m.role }}] {{ m.content | tojson }}{% endfor %}')

  const text = await render({ messages: [{ role: 'user', content: 'lone \ud800, "quoted", 🐑' }] })

  expect(text).toBe('[user] "lone \\ud800, \\"quoted\\", 🐑"')
})

test('the error of a template is reported verbatim', async () => {
  const render = openTemplate("{{ raise_exception('roles must alternate') }}")

  await expect(render({})).rejects.toMatchObject({ code: 'request-invalid', message: 'roles must alternate' })
})

describe('a template cannot', () => {
  test.each([
    [
      'loop for ever',
      '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}',
      'takes longer than 0.3 s',
    ],
    [
      'build a list for ever',
      '{% set n = namespace(l=[1]) %}{% for a in range(60) %}{% set n.l = n.l + n.l %}{% endfor %}',
      'MiB of memory',
    ],
    [
      'build a text for ever',
      "{% set n = namespace(t='xy') %}{% for a in range(24) %}{% set n.t = n.t + n.t %}{% endfor %}{{ n.t }}",
      'writes more than',
    ],
    ['be longer than any real one', `{# ${'x'.repeat(1024 * 1024)} #}`, 'is longer than'],
  ])('%s', async (_, text, why) => {
    // Only the first is about time: the others reach their own limit before it, however busy the machine is.
    const render = openTemplate(text, why.startsWith('takes') ? limits : { ...limits, renderMs: 100_000 })

    await expect(render({})).rejects.toMatchObject({
      code: 'model-unavailable',
      message: expect.stringContaining(why),
    })
  })

  test('end the program by being too deep', async () => {
    const deep = openTemplate(`{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}`)

    await expect(deep({})).rejects.toMatchObject({ code: 'request-invalid' })
  })

  test('see the environment or reach a function of the process', async () => {
    const render = openTemplate(
      "{{ process }}|{{ ''.constructor }}|{{ messages.constructor }}|{{ renderJob }}",
    )

    expect(await render({ messages: [] }).catch(String)).not.toMatch(/native code|function|\[object/)
  })
})

test('a template that passed a limit is not tried again, others go on', async () => {
  const hostile = openTemplate(
    `{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}`,
    limits,
  )
  await hostile({}).catch(() => undefined)
  const started = performance.now()

  const again = await hostile({}).catch((error: Error) => error.message)
  const tookMs = performance.now() - started
  const other = await openTemplate('{{ a }}')({ a: 'fine' })

  expect([again, other]).toEqual([expect.stringContaining('takes longer than'), 'fine'])
  // No process is asked, so this is a matter of microseconds even on a busy machine.
  expect(tookMs).toBeLessThan(limits.renderMs)
})

test('the program goes on while a template is at its limit', async () => {
  let ticks = 0
  const timer = setInterval(() => ticks++, 10)

  await openTemplate(
    '{% for a in range(80000) %}{% for b in range(80000) %}{% endfor %}{% endfor %}',
    limits,
  )({}).catch(() => undefined)
  clearInterval(timer)

  expect(ticks).toBeGreaterThan(5)
})

test('a conversation of megabytes is rendered, one beyond the limit is too long, and neither counts against the template', async () => {
  const render = openTemplate('{{ text }}!')
  const beyond = await render({ text: 'x'.repeat(templateLimits.characters) }).catch(
    (error: unknown) => error,
  )

  const text = await render({ text: 'ä'.repeat(4_000_000) })

  expect(beyond).toMatchObject({ code: 'context-overflow' })
  expect(text.length).toBe(4_000_001)
})
