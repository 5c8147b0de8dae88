/** `covey providers` and `covey slm`: who could answer here, and who says what a request is about. */
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ProviderInfo, SlmReport } from '../../src/protocol/provider-service.ts'
import { tempHome } from '../config/home.ts'
import { covey } from '../support/covey.ts'
import { startModelServer } from '../support/model-server.ts'

const list = async (user: string, env: NodeJS.ProcessEnv = {}): Promise<readonly ProviderInfo[]> => {
  const home = tempHome({ user: `[router]\ndiscover = false\n${user}` })
  const { out } = await covey(['providers', '--json'], { ...home, env: { ...home.env, ...env } })
  return JSON.parse(out) as readonly ProviderInfo[]
}

describe('covey providers', () => {
  test('shows what is on, and why the rest is off', async () => {
    const server = await startModelServer([])
    onTestFinished(() => server.close())

    const shown = await list(`
[arms.coder]
base_url = "${server.url}"
model = "qwen"

[arms.old]
base_url = "http://127.0.0.1:8081/v1"
enabled = false

[arms.large]
kind = "openai"
api_key = "k"

[arms.keyless]
kind = "anthropic"
api_key = "\${NO_SUCH_KEY}"
`)

    expect(shown.map(({ id, tier, isOn, about }) => [id, tier, isOn, about])).toEqual([
      ['coder', 'local', true, `${server.url} qwen (the server does not list this model)`],
      ['old', 'local', false, 'switched off (`enabled = false`)'],
      ['large', 'cloud', false, 'off until `router.cloud = true`'],
      ['keyless', 'cloud', false, expect.stringContaining('export NO_SUCH_KEY=KEY')],
      ['covey/nano', 'local', true, expect.any(String)],
    ])
  })

  test('finds agents on PATH and does not start them', async () => {
    const home = tempHome({})
    const folder = join(home.env['HOME'] ?? '', 'bin')
    await mkdir(folder)
    await writeFile(join(folder, 'claude'), '#!/bin/sh\ntouch "$0.started"\n')
    await chmod(join(folder, 'claude'), 0o755)

    const shown = await list('', { PATH: folder })

    expect(shown.find(({ id }) => id === 'agent/claude')).toMatchObject({ isOn: false, tier: 'cloud' })
    expect(await readdir(folder)).toEqual(['claude'])
  })

  test('is a table for a person', async () => {
    const { code, out } = await covey(['providers'], tempHome({ user: '[router]\ndiscover = false' }))

    expect(code).toBe(0)
    expect(out).toMatch(/^✓ covey\/nano +in the box +local/m)
  })
})

describe('covey slm', () => {
  const slm = async (args: readonly string[], user: string): Promise<SlmReport | readonly SlmReport[]> => {
    const { out } = await covey(['slm', ...args, '--json'], tempHome({ user }))
    return JSON.parse(out) as SlmReport
  }

  test('tries the built-in model', async () => {
    const report = (await slm([], '')) as SlmReport

    expect(report).toMatchObject({ classifier: 'covey/nano', state: 'ok', usesTools: true, asked: 5 })
    expect(report.right).toBeGreaterThanOrEqual(3)
    expect(report.samples.map(({ sure }) => sure !== undefined && sure > 0 && sure <= 1)).toEqual(
      Array.from({ length: 5 }, () => true),
    )
  })

  test('says that there is none where words are enough', async () => {
    expect(await slm([], '[router]\nclassifier = "keywords"')).toMatchObject({ state: 'off' })
  })

  test('tells why one fails, and ends with 1', async () => {
    const home = tempHome({ user: '[router]\nclassifier = "absent"' })

    const { code, out } = await covey(['slm'], home)

    expect(code).toBe(1)
    expect(out).toMatch(/^slm: ✗ absent .*absent/)
  })

  test('setup tries those on this machine and says what to write', async () => {
    const answer = '{"task_type": "debug", "complexity": 0.2, "requires_tools": true}'
    const server = await startModelServer([{ text: answer }], { repeatLast: true })
    onTestFinished(() => server.close())
    const user = `[arms.coder]\nbase_url = "${server.url}"\nmodel = "m"\nwindow = 8192\n`

    const { out } = await covey(['slm', 'setup'], tempHome({ user }))

    expect(out).toMatch(/^slm: covey\/nano/m)
    expect(out).toMatch(/^slm: coder.*1 of 5/m)
    expect(out).toContain('classifier = "covey/nano"')
  })
})
