import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CommandContext } from '../../src/cli/command.ts'
import { createModelsCommand } from '../../src/cli/models.ts'
import type { ModelsParts } from '../../src/cli/models/actions.ts'
import type { Hardware } from '../../src/models/machine.ts'
import { fileServer, type FileServer } from '../models/file-server.ts'
import { tinyFile } from '../models/tiny-file.ts'
import { tempProject } from '../support/project.ts'

const GIB = 2 ** 30
const machine: Hardware = { cores: 4, ramBytes: 16 * GIB, ramFree: 12 * GIB, gpus: [], diskFree: 99 * GIB }

type Setting = {
  readonly options?: Record<string, unknown>
  readonly env?: Record<string, string>
  readonly isTty?: boolean
  readonly signal?: AbortSignal
  readonly parts?: ModelsParts
  readonly onErr?: (text: string) => void
}

/** Runs `covey models` in a home of its own. */
async function models(home: string, args: readonly string[], setting: Setting = {}) {
  let out = ''
  let err = ''
  const context: CommandContext = {
    args,
    options: setting.options ?? {},
    env: { HOME: home, OLLAMA_MODELS: join(home, 'ollama'), ...setting.env },
    cwd: home,
    signal: setting.signal ?? new AbortController().signal,
    io: {
      out: (text) => void (out += text),
      err: (text) => {
        err += text
        setting.onErr?.(text)
      },
      stdin: process.stdin,
      piped: async () => undefined,
      isTty: setting.isTty ?? false,
    },
  }
  const command = createModelsCommand({ machine: async () => ({ hardware: machine }), ...setting.parts })
  const code = await command.run(context)
  return { code, out, err }
}

const own = '.local/share/covey/models'
const modelServer = (): Promise<FileServer> => fileServer(tinyFile(), '/x/tiny.gguf')

describe('covey models', () => {
  test('lists what is here, and what was begun', async () => {
    const home = await tempProject({
      [`${own}/Qwen3.5-4B-Q4_K_M.gguf`]: 'x'.repeat(3 * 2 ** 20),
      [`${own}/b.gguf.download/data`]: '',
    })

    const { out, code } = await models(home, [])

    expect(code).toBe(0)
    expect(out).toBe(
      `qwen3.5:4b:q4_k_m                      3 MiB  covey      ${home}/${own}/Qwen3.5-4B-Q4_K_M.gguf\n` +
        'b.gguf: not complete; run `covey models pull` again to resume\n',
    )
  })

  test('says what to do where nothing is here', async () => {
    const { out } = await models(await tempProject(), ['ls'])

    expect(out).toBe('No model is installed yet. `covey models fit` lists those that fit this machine.\n')
  })

  test('lists as JSON', async () => {
    const home = await tempProject({ [`${own}/a.gguf`]: 'x' })

    const { out } = await models(home, ['ls'], { options: { json: true } })

    expect(JSON.parse(out)).toEqual({
      models: [{ id: 'a', name: 'a.gguf', path: join(home, own, 'a.gguf'), bytes: 1, source: 'covey' }],
      unfinished: [],
      servers: [],
    })
  })

  test('refuses an action it does not have, with the nearest', async () => {
    await expect(models('/', ['pul'])).rejects.toThrow('did you mean `covey models pull`?')
    await expect(models('/', ['constructor'])).rejects.toThrow('there are ls, fit, pull, show, import, rm.')
  })

  test('has a help that names every action', async () => {
    const probe = async () => Promise.reject(new Error('is not asked'))

    const refusal = models('/', ['constructor'], { parts: { probe } })

    await expect(refusal).rejects.toThrow('there are ls, fit, pull, show, import, rm, probe.')
    expect(createModelsCommand().usage).toBe('[ls | fit | pull | show | import | rm | probe] [model]')
  })
})

describe('fit', () => {
  test('prints what fits with its figures, how far the rest is from it, and the best', async () => {
    const { out, code } = await models(await tempProject(), ['fit'])

    expect(code).toBe(0)
    expect(out).toMatch(
      /^cores 4 · memory 12\.0 GiB free of 16\.0 GiB · graphics none found · disk 99\.0 GiB free\n/,
    )
    expect(out).toMatch(/\n +model +window +workers +memory +tokens\/s +where\n/)
    expect(out).toMatch(/\n +qwen3\.5:9b:q4_k_m +32768 +4 +7\.8 GiB +unknown +main memory\n/)
    expect(out).toMatch(/\nDo not fit:\n(?: {2}.*\n)* {2}qwen3\.6:27b +by \d+\.\d GiB\n/)
    expect(out).toMatch(
      /Best here: covey models pull qwen3\.5:9b:q4_k_m\n {5}then: covey --model qwen3\.5:9b:q4_k_m --window 32768\n$/,
    )
  })

  test('marks what is here', async () => {
    const home = await tempProject({ [`${own}/Qwen3.5-9B-Q4_K_M.gguf`]: 'x' })

    const { out } = await models(home, ['fit'])

    expect(out).toMatch(/\n✓ +qwen3\.5:9b:q4_k_m /)
    expect(out).toMatch(/Best here: covey --model qwen3\.5:9b:q4_k_m --window 32768\n$/)
  })

  test('answers for one model, and fails with the reason where it does not fit', async () => {
    const home = await tempProject()

    expect(await models(home, ['fit', 'qwen3:8b:q4_k_m'])).toMatchObject({
      code: 0,
      out: 'qwen3:8b:q4_k_m fits: window 32768, workers 1, 11.1 GiB, unknown tokens/s, in main memory.\n',
    })
    await expect(models(home, ['fit', 'qwen3.6:27b:q8_0'])).rejects.toThrow('it does not fit by')
    await expect(models(home, ['fit', 'gpt-4'])).rejects.toMatchObject({ code: 'config-invalid' })
  })

  test('prints JSON', async () => {
    const { out } = await models(await tempProject(), ['fit'], { options: { json: true, window: '65536' } })

    const printed = JSON.parse(out) as { ok: boolean; choice: unknown; models: { fits: boolean }[] }
    expect(printed).toMatchObject({ ok: true, hardware: machine, choice: { window: 65_536 } })
    expect(printed.models.length).toBeGreaterThan(25)
  })

  test('refuses a window that is none', async () => {
    const failure = models('/', ['fit'], { options: { window: 'wide' } })

    await expect(failure).rejects.toThrow('--window must be a number of tokens from 1024 on, not "wide".')
  })
})

describe('pull', () => {
  test('fetches a model of the catalogue from the mirror, and says how to use it', async () => {
    const server = await fileServer(tinyFile(), '/')
    const home = await tempProject()
    const env = { HF_ENDPOINT: server.url.origin }

    const { code, out, err } = await models(home, ['pull', 'qwen2.5-coder:3b:q8_0'], { env })

    const path = join(home, own, 'qwen2.5-coder-3b-instruct-q8_0.gguf')
    expect(code).toBe(0)
    expect(err).toContain(
      'qwen2.5-coder:3b:q8_0: Qwen2.5-Coder 3B Instruct, licence qwen-research, from Qwen/',
    )
    expect(err).toContain('qwen2.5-coder-3b-instruct-q8_0.gguf: 100 % of 0 MiB\n')
    expect(out).toBe(`Saved: ${path} (0 MiB). Use it with: covey --model qwen2.5-coder:3b:q8_0\n`)
    expect(existsSync(path)).toBe(true)
  })

  test('rejects a file with another hash than the catalogue has, and keeps nothing', async () => {
    const server = await fileServer(tinyFile(), '/')
    const home = await tempProject()
    const env = { HF_ENDPOINT: server.url.origin }

    await expect(models(home, ['pull', 'qwen3.5:4b:q4_k_m'], { env })).rejects.toThrow('expected was 00fe79')

    expect(readdirSync(join(home, own))).toEqual([])
  })

  test('takes an address, and rejects what is no GGUF file', async () => {
    const server = await modelServer()
    const home = await tempProject()

    const got = await models(home, ['pull', server.url.href])
    server.content = Buffer.from('<html>')
    const bad = models(home, ['pull', server.url.href.replace('tiny', 'other')])

    expect(got.out).toContain(`Use it with: covey --model ${join(home, own, 'tiny.gguf')}\n`)
    await expect(bad).rejects.toThrow('is not a usable GGUF file')
    expect(readdirSync(join(home, own))).toEqual(['tiny.gguf'])
  })

  test('prints JSON lines', async () => {
    const server = await modelServer()
    const home = await tempProject()

    const { out } = await models(home, ['pull', server.url.href], { options: { json: true } })

    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string })
    expect(lines.at(0)).toMatchObject({ type: 'progress', stage: 'fetching', total: tinyFile().length })
    expect(lines.at(-1)).toEqual({
      type: 'done',
      path: join(home, own, 'tiny.gguf'),
      bytes: tinyFile().length,
      wasHere: false,
    })
  })

  test('draws a bar on a terminal and wipes it away', async () => {
    const server = await modelServer()

    const { err } = await models(await tempProject(), ['pull', server.url.href], { isTty: true })

    expect(err).toMatch(/^\r\u001B\[Ktiny\.gguf {2}░{24} 0 % {2}0 MiB of 0 MiB/)
    expect(err).toMatch(/\r\u001B\[K$/)
  })

  test.each([
    ['by a flag', { options: { offline: true } }],
    ['by the environment', { env: { COVEY_OFFLINE: '1' } }],
  ])('offline %s is refused, and no connection leaves', async (_how, setting) => {
    const server = await modelServer()
    const home = await tempProject()

    const failure = models(home, ['pull', server.url.href], setting)

    await expect(failure).rejects.toMatchObject({ code: 'offline' })
    expect(server.asked).toEqual([])
    expect(existsSync(join(home, '.local'))).toBe(false)
  })

  test('interrupted keeps what has arrived and says so', async () => {
    const server = await fileServer(Buffer.concat([tinyFile(), Buffer.alloc(40 << 20)]), '/x/tiny.gguf')
    const home = await tempProject()
    const stop = new AbortController()
    const onErr = (text: string): void => {
      if (text.includes('30 %')) stop.abort()
    }

    const { code, err } = await models(home, ['pull', server.url.href], { signal: stop.signal, onErr })

    expect(code).toBe(130)
    expect(err).toMatch(/Stopped; what has arrived is kept in .* The same command goes on from there\.\n$/)
    expect(readdirSync(join(home, own, 'tiny.gguf.download')).toSorted()).toEqual(['data', 'progress.json'])
  })

  test('of one that Ollama has uses that', async () => {
    const hash = createHash('sha256').update('x').digest('hex')
    const manifest = {
      layers: [{ mediaType: 'application/vnd.ollama.image.model', digest: `sha256:${hash}` }],
      config: { digest: `sha256:${'c'.repeat(64)}` },
    }
    const home = await tempProject({
      [`ollama/blobs/sha256-${hash}`]: 'x',
      [`ollama/blobs/sha256-${'c'.repeat(64)}`]: '{"file_type":"Q4_K_M"}',
      'ollama/manifests/registry.ollama.ai/library/qwen3/8b': JSON.stringify(manifest),
    })

    const { out } = await models(home, ['pull', 'qwen3:8b:q4_k_m'])

    expect(out).toContain(`Already here: ${join(home, 'ollama', 'blobs', `sha256-${hash}`)}`)
  })

  test.each([
    [[], 'an argument is missing: pass a model such as qwen3.5:4b'],
    [['qwen9'], 'No model is called "qwen9"'],
    [['hf:owner/repo'], 'names no file'],
  ])('of %j is refused with the next step', async (args, message) => {
    await expect(models('/', ['pull', ...args])).rejects.toThrow(message)
  })

  test('of one that does not fit says so and goes on', async () => {
    const server = await fileServer(tinyFile(), '/')
    const env = { HF_ENDPOINT: server.url.origin }

    const { code, err } = await models(await tempProject(), ['pull', 'qwen2.5-coder:32b:q8_0'], { env })

    expect(code).toBe(0)
    expect(err).toMatch(/^covey: qwen2\.5-coder:32b:q8_0 needs .* it does not fit by/)
  })
})

describe('show, import and rm', () => {
  test('show what the catalogue knows', async () => {
    const { out } = await models(await tempProject(), ['show', 'qwen3.6:35b'])

    expect(out).toContain('qwen3.6:35b  Qwen3.6 35B-A3B\n')
    expect(out).toContain('parameters   35 billion, 3 billion at a time\n')
    expect(out).toContain('window       262144 tokens; 640 MiB of memory for 32768\n')
    expect(out).toContain('unchecked    sampling\n')
  })

  test('bring in a file, show its header, take it out', async () => {
    const home = await tempProject({ 'mine.gguf': tinyFile('My model') })

    const imported = await models(home, ['import', 'mine.gguf'])
    const shown = await models(home, ['show', 'mine'])
    const removed = await models(home, ['rm', 'mine'])

    const path = join(home, own, 'mine.gguf')
    expect(imported.out).toBe(`Imported to ${path}. Use it with: covey --model ${basename(path, '.gguf')}\n`)
    expect(shown.out).toContain("mine  in covey's folder\n")
    expect(shown.out).toContain('window       4096 tokens\n')
    expect(removed.out).toBe(`Removed ${path}.\n`)
    expect(existsSync(path)).toBe(false)
  })

  test('remove an unfinished download', async () => {
    const home = await tempProject({ [`${own}/b.gguf.download/data`]: '' })

    expect(await models(home, ['rm', 'b.gguf'])).toMatchObject({ code: 0, out: 'Removed b.gguf.\n' })

    expect(readdirSync(join(home, own))).toEqual([])
  })

  test('name what is missing and what to do', async () => {
    const home = await tempProject()

    await expect(models(home, ['rm', 'nothing'])).rejects.toThrow('`covey models ls` lists what is here')
    await expect(models(home, ['rm'])).rejects.toThrow('an argument is missing')
    await expect(models(home, ['show', 'nothing'])).rejects.toThrow('No model is called "nothing"')
    await expect(models(home, ['import', 'none.gguf'])).rejects.toThrow('none.gguf cannot be opened')
  })
})
