/** What a run ends as where every model fails, over every way to ask. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { covey } from '../support/covey.ts'
import type { ScriptedServerReply } from '../support/model-server.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'
import { modelServer, post, postStream } from './ask-served.ts'

describe('when every model fails, the first failure is the answer', () => {
  const failing = (name: string): ScriptedServerReply => ({
    status: 503,
    body: { error: { message: `${name} is out of order` } },
  })
  /** Too much for the built-in model, which would answer otherwise. */
  const prompt = 'Write a limerick about the sea and the moon.'

  type Arms = Readonly<Record<string, string>>

  async function twoArms(): Promise<Arms> {
    const [one, two] = [await modelServer([failing('one')]), await modelServer([failing('two')])]
    return {
      'arms.one.base_url': one.url,
      'arms.one.model': 'one',
      'arms.two.base_url': two.url,
      'arms.two.model': 'two',
    }
  }
  /** A home whose configuration says the same. */
  async function configured(flags: Arms): Promise<NodeJS.ProcessEnv> {
    const env = await emptyHome()
    const folder = join(env['XDG_CONFIG_HOME'] ?? '', 'covey')
    await mkdir(folder, { recursive: true })
    const lines = Object.entries(flags).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    await writeFile(join(folder, 'config.toml'), lines.join(''))
    return env
  }

  test('of the command line, with and without --json', async () => {
    const env = await configured(await twoArms())
    const args = ['run', '--no-probe', prompt]
    const [plain, json] = await Promise.all([
      covey(args, { cwd: await tempProject(), env }),
      covey([...args, '--json'], { cwd: await tempProject(), env }),
    ])

    expect([plain.code, json.code]).toEqual([1, 1])
    expect(plain.out).toBe('')
    expect(plain.err).toMatch(/(?:one|two) is out of order/)
    expect(json.out).not.toContain('text-delta')
    expect(JSON.parse(json.out.trim().split('\n').at(-1) ?? '{}')).toMatchObject({ reason: 'error' })
  })

  test.each(['covey/auto', 'covey/agent'])('of %s', async (model) => {
    const { status, body } = await post(
      { flags: await twoArms(), probe: false },
      { model, messages: [{ role: 'user', content: prompt }] },
    )

    expect(status).toBeGreaterThanOrEqual(500)
    expect(body.error?.message).toMatch(/(?:one|two) is out of order/)
  })

  test.each(['covey/auto', 'covey/agent'])(
    'of %s as a stream, without a word of the built-in model',
    async (model) => {
      const { text } = await postStream(
        { flags: await twoArms(), probe: false },
        { model, messages: [{ role: 'user', content: prompt }] },
      )

      expect(text).toMatch(/(?:one|two) is out of order/)
      expect(text).not.toContain('built-in model')
    },
  )
})
