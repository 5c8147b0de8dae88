import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, onTestFinished, test } from 'vitest'
import { budgetFor } from '../../src/context/budget.ts'
import { estimateTokens } from '../../src/context/count.ts'
import { loadPrompt } from '../../src/context/prompts.ts'
import { renderSystem, type SystemInput } from '../../src/context/system.ts'

const render = (changes: Partial<SystemInput> = {}) =>
  renderSystem({
    identity: 'You are Covey.',
    sections: [],
    budget: budgetFor(4096),
    toolTokens: 350,
    count: estimateTokens,
    ...changes,
  })

const long = Array.from({ length: 300 }, (_, at) => `- rule ${at}: be careful with everything`).join('\n')

describe('the text of the model', () => {
  test('is very short', async () => {
    const text = await loadPrompt('system.md')

    expect(text).toMatch(/^You are Covey, /)
    expect(countTokens(text)).toBeLessThanOrEqual(60)
  })

  test("is the person's own where they wrote one", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prompts-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const ours = await loadPrompt('system.md', folder)

    await writeFile(join(folder, 'system.md'), 'Be terse.\n')

    expect(ours).toMatch(/^You are Covey, /)
    expect(await loadPrompt('system.md', folder)).toBe('Be terse.')
  })

  test('that cannot be read is named', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prompts-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'system.md'))

    await expect(loadPrompt('system.md', folder)).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining(join(folder, 'system.md')),
    })
  })
})

describe('the system text', () => {
  test('is who the model is, how to call, then notes and skills', () => {
    const sections = [
      { name: 'AGENTS.md', text: 'Use tabs.' },
      { name: 'skills', text: '- deploy: how to deploy' },
    ]

    expect(render({ instructions: 'Call tools like this.', sections })).toBe(
      'You are Covey.\n\nCall tools like this.\n\n# AGENTS.md\nUse tabs.\n\n# skills\n- deploy: how to deploy',
    )
  })

  test('cuts long notes to a fair share of what the tools leave, and says so', () => {
    const sections = [
      { name: 'AGENTS.md', text: long },
      { name: 'CLAUDE.md', text: 'Use tabs.' },
      { name: 'skills', text: long },
    ]

    const text = render({ sections })

    expect(text).toMatch(
      /# AGENTS.md\n- rule 0: .*\n[\s\S]*\[\d+ tokens of AGENTS.md left out; read_file AGENTS.md shows it\]/,
    )
    expect(text).toContain('# CLAUDE.md\nUse tabs.\n')
    expect(text).toMatch(/\[\d+ tokens of skills left out\]$/)
    expect(estimateTokens(text)).toBeLessThanOrEqual(614 - 350)
  })

  test('still names notes there is no room for', () => {
    const text = render({ toolTokens: 900, sections: [{ name: 'AGENTS.md', text: long }] })

    expect(text).toMatch(
      /^You are Covey\.\n\n\[\d+ tokens of AGENTS.md left out; read_file AGENTS.md shows it\]$/,
    )
  })

  test('never takes more than 2,000 tokens, however large the window', () => {
    const text = render({
      budget: budgetFor(131_072),
      sections: [{ name: 'AGENTS.md', text: long.repeat(5) }],
    })

    expect(estimateTokens(text)).toBeLessThanOrEqual(2000)
    expect(estimateTokens(text)).toBeGreaterThan(1800)
  })
})
