import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { deriveDialect, type DerivedDialect } from '../../../src/dialect/template/derive.ts'
import { read, summary } from '../support.ts'

const template = (name: string): string =>
  readFileSync(new URL(`../fixtures/${name}.jinja`, import.meta.url), 'utf8')

const derive = async (name: string): Promise<DerivedDialect> => (await deriveDialect(template(name)))!

describe('a dialect derived from a chat template', () => {
  it.each([
    ['hermes', 'json', 'hermes'],
    ['qwen-xml', 'tagged', 'qwen-xml'],
    ['glm', 'tagged', 'glm'],
    ['list', 'json', 'mistral-nemo'],
    ['python', 'python', 'lfm2'],
    ['string-arguments', 'named', 'deepseek-v3.1'],
  ])('finds that %s writes %s, as %s does', async (name, style, known) => {
    const derived = await derive(name)

    expect({ style: derived.style, known: derived.known }).toEqual({ style, known })
  })

  it.each(['named', 'unseen-json', 'unseen-tags'])(
    'reads and writes markers no family has: %s',
    async (name) => {
      const { family, known } = await derive(name)
      const input = { path: 'a b.txt', content: 'x < y && "z"\n{}' }

      const written = family.write({ id: 'call-1', name: 'write_file', input: JSON.stringify(input) })
      const events = read(`Let me see.${written}`, { dialect: family })

      expect(known).toBeUndefined()
      expect(summary(events)).toEqual({
        text: 'Let me see.',
        reasoning: '',
        calls: [['write_file', input]],
        bad: 0,
      })
    },
  )

  it('finds the tags of thinking, and whether the prompt opens it', async () => {
    const unseen = await derive('unseen-json')
    const hermes = await derive('hermes')

    expect(unseen.reasoning).toEqual({ open: '<|muse|>', close: '<|speak|>' })
    expect(unseen.opensThinking).toBe(true)
    expect(hermes.reasoning).toEqual({ open: '<think>', close: '</think>' })
    expect(hermes.opensThinking).toBe(false)
  })

  it('reads a reply that goes on inside the thinking of the prompt', async () => {
    const { family, opensThinking } = await derive('unseen-json')

    const events = read('Hm.<|speak|>Hello.', { dialect: family, thinking: opensThinking })

    expect(summary(events)).toEqual({ text: 'Hello.', reasoning: 'Hm.', calls: [], bad: 0 })
  })

  it('writes a result as the template does', async () => {
    const { family } = await derive('glm')

    const written = family.result({ name: 'list_files', callId: 'call-1', text: 'a.txt', ok: true })

    expect(written.trim()).toBe('<|observation|>\n<tool_response>\na.txt\n</tool_response>')
  })

  it('knows whether several calls fit into one reply', async () => {
    expect((await derive('hermes')).parallel).toBe(true)
    expect((await derive('list')).parallel).toBe(true)
  })

  it.each(['no-tools', 'broken'])('is not derived where the template writes no calls: %s', async (name) => {
    expect(await deriveDialect(template(name))).toBeUndefined()
  })

  it('is not derived from something that is no template', async () => {
    expect(await deriveDialect('{% for')).toBeUndefined()
  })
})
