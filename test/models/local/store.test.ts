import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acquireLock } from '../../../src/lib/lock.ts'
import { loadCatalog } from '../../../src/models/catalog.ts'
import {
  importModel,
  listUnfinished,
  removeModel,
  removeUnfinished,
} from '../../../src/models/local/change.ts'
import { listLocal, modelFolders, requireLocal, type ModelFolders } from '../../../src/models/local/store.ts'
import { tempProject } from '../../support/project.ts'
import { tinyFile } from '../tiny-file.ts'

const catalog = await loadCatalog()
const HASH = 'a'.repeat(64)
const CONFIG = 'b'.repeat(64)

async function tempHome(files: Readonly<Record<string, string | Buffer>> = {}): Promise<ModelFolders> {
  const home = await tempProject(files)
  return modelFolders(join(home, 'own'), home, { OLLAMA_MODELS: join(home, '.ollama', 'models') })
}

const manifest = (layers: readonly string[], digest = HASH): string =>
  JSON.stringify({
    schemaVersion: 2,
    config: { mediaType: 'application/vnd.docker.container.image.v1+json', digest: `sha256:${CONFIG}` },
    layers: layers.map((kind) => ({
      mediaType: `application/vnd.ollama.image.${kind}`,
      digest: `sha256:${digest}`,
      size: 5,
    })),
  })

const OLLAMA = '.ollama/models'
const blobs = {
  [`${OLLAMA}/blobs/sha256-${HASH}`]: 'GGUF.',
  [`${OLLAMA}/blobs/sha256-${CONFIG}`]: JSON.stringify({ model_type: '7.6B', file_type: 'Q4_K_M' }),
}
const library = `${OLLAMA}/manifests/registry.ollama.ai/library`

describe('models on this machine', () => {
  test('are found in all three places and recognised', async () => {
    const folders = await tempHome({
      ...blobs,
      'own/Qwen3.5-4B-Q4_K_M.gguf': 'x',
      'own/mine.gguf': 'xy',
      'own/notes.txt': '',
      '.lmstudio/models/lmstudio-community/gpt-oss-20b-GGUF/gpt-oss-20b-MXFP4.gguf': 'xyz',
      '.lmstudio/models/lmstudio-community/gpt-oss-20b-GGUF/mmproj-model-f16.gguf': 'xyz',
      [`${library}/qwen2.5-coder/7b`]: manifest(['model', 'template', 'license']),
      [`${library}/qwen2.5-coder/7b-instruct-q4_K_M`]: manifest(['model']),
    })

    const models = await listLocal(folders, catalog)

    const blob = join(dirname(folders.own), OLLAMA, 'blobs', `sha256-${HASH}`)
    expect(models).toEqual([
      {
        id: 'gpt-oss:20b:mxfp4',
        name: 'gpt-oss-20b-MXFP4.gguf',
        path: expect.stringContaining('.lmstudio'),
        bytes: 3,
        source: 'lm-studio',
        quant: 'mxfp4',
      },
      { id: 'mine', name: 'mine.gguf', path: join(folders.own, 'mine.gguf'), bytes: 2, source: 'covey' },
      {
        id: 'qwen2.5-coder:7b:q4_k_m',
        name: 'qwen2.5-coder:7b',
        path: blob,
        bytes: 5,
        source: 'ollama',
        quant: 'q4_k_m',
      },
      {
        id: 'qwen2.5-coder:7b:q4_k_m',
        name: 'qwen2.5-coder:7b-instruct-q4_K_M',
        path: blob,
        bytes: 5,
        source: 'ollama',
        quant: 'q4_k_m',
      },
      {
        id: 'qwen3.5:4b:q4_k_m',
        name: 'Qwen3.5-4B-Q4_K_M.gguf',
        path: join(folders.own, 'Qwen3.5-4B-Q4_K_M.gguf'),
        bytes: 1,
        source: 'covey',
        quant: 'q4_k_m',
      },
    ])
  })

  test.each([
    ['is no JSON', 'x'],
    ['leads out of the folder', manifest(['model'], '../../../../etc/passwd')],
    ['points to nothing', manifest(['model'], 'c'.repeat(64))],
    ['needs an adapter besides', manifest(['model', 'adapter'])],
    ['has no weights', manifest(['template'])],
  ])('do not include one of Ollama whose manifest %s', async (_what, text) => {
    const folders = await tempHome({ ...blobs, [`${library}/odd/latest`]: text })

    expect(await listLocal(folders, catalog)).toEqual([])
  })

  test('are none where no folder exists', async () => {
    expect(await listLocal(modelFolders('/no', '/nowhere', { OLLAMA_MODELS: '/not' }), catalog)).toEqual([])
  })

  test('include only the first part of a split one', async () => {
    const folders = await tempHome({
      'own/big-00001-of-00002.gguf': 'x',
      'own/big-00002-of-00002.gguf': 'x',
    })

    expect((await listLocal(folders, catalog)).map(({ name }) => name)).toEqual(['big-00001-of-00002.gguf'])
  })

  test('can be named by id, name or path, ours before others', async () => {
    const folders = await tempHome({
      'own/Qwen3.5-4B-Q4_K_M.gguf': 'x',
      '.lmstudio/models/a/b/Qwen3.5-4B-Q4_K_M.gguf': 'x',
    })
    const models = await listLocal(folders, catalog)
    const path = join(folders.own, 'Qwen3.5-4B-Q4_K_M.gguf')

    expect(requireLocal('qwen3.5:4b:q4_k_m', models).path).toBe(path)
    expect(requireLocal('Qwen3.5:4B:Q4_K_M', models).path).toBe(path)
    expect(requireLocal('Qwen3.5-4B-Q4_K_M.gguf', models).path).toBe(path)
    expect(requireLocal(path, models).path).toBe(path)
    expect(() => requireLocal('qwen3.5:4b:q4_k_s', models)).toThrow('did you mean qwen3.5:4b:q4_k_m?')
    expect(() => requireLocal('x', [])).toThrow('`covey models ls` lists what is here')
  })
})

describe('bringing a model in', () => {
  test('copies it', async () => {
    const folders = await tempHome({ 'down/a.gguf': tinyFile() })
    const source = join(dirname(folders.own), 'down', 'a.gguf')

    const target = await importModel(source, folders.own, { link: false })

    expect(target).toBe(join(folders.own, 'a.gguf'))
    expect(lstatSync(target).isSymbolicLink()).toBe(false)
    expect(readFileSync(target).equals(tinyFile())).toBe(true)
  })

  test('or links to it, and then removes only the link', async () => {
    const folders = await tempHome({ 'down/a.gguf': tinyFile() })
    const source = join(dirname(folders.own), 'down', 'a.gguf')

    const target = await importModel(source, folders.own, { link: true })
    const [model] = await listLocal(folders, catalog)
    await removeModel(model!)

    expect(existsSync(target)).toBe(false)
    expect(existsSync(source)).toBe(true)
  })

  test('links to the file itself where its path is relative', async () => {
    const folders = await tempHome({ 'down/a.gguf': tinyFile() })
    const source = join(dirname(folders.own), 'down', 'a.gguf')

    const target = await importModel(relative(process.cwd(), source), folders.own, { link: true })

    expect(readFileSync(target).equals(tinyFile())).toBe(true)
  })

  test('replaces no link, not even one that leads nowhere', async () => {
    const folders = await tempHome({ 'down/a.gguf': tinyFile() })
    await mkdir(folders.own)
    await symlink('/nowhere/a.gguf', join(folders.own, 'a.gguf'))

    const importing = importModel(join(dirname(folders.own), 'down', 'a.gguf'), folders.own, { link: false })

    await expect(importing).rejects.toThrow('is there already')
  })

  test('copies nothing over a download in progress, and leaves nothing behind', async () => {
    const folders = await tempHome({ 'down/a.gguf': tinyFile(), 'own/a.gguf.download/data': 'half' })
    const source = join(dirname(folders.own), 'down', 'a.gguf')
    const fetching = await acquireLock(join(folders.own, 'a.gguf.download'), () => '')

    await expect(importModel(source, folders.own, { link: false })).rejects.toMatchObject({
      code: 'session-busy',
    })
    expect(readFileSync(join(folders.own, 'a.gguf.download', 'data'), 'utf8')).toBe('half')
    await fetching.release()
    await importModel(source, folders.own, { link: false })

    expect(readdirSync(folders.own)).toEqual(['a.gguf'])
  })

  test('refuses what is no GGUF file, and a name that is taken', async () => {
    const folders = await tempHome({ 'down/a.gguf': tinyFile(), 'own/a.gguf': 'mine', 'down/b.gguf': 'text' })
    const down = join(dirname(folders.own), 'down')

    await expect(importModel(join(down, 'b.gguf'), folders.own, { link: false })).rejects.toThrow(
      'is not a usable GGUF file',
    )
    await expect(importModel(join(down, 'a.gguf'), folders.own, { link: false })).rejects.toThrow(
      'remove it first: covey models rm a.gguf',
    )
    expect(readFileSync(join(folders.own, 'a.gguf'), 'utf8')).toBe('mine')
  })
})

describe('removing', () => {
  test("deletes covey's own file", async () => {
    const folders = await tempHome({ 'own/a.gguf': 'x' })
    const [model] = await listLocal(folders, catalog)

    await removeModel(model!)

    expect(await listLocal(folders, catalog)).toEqual([])
  })

  test("never touches another program's", async () => {
    const folders = await tempHome({
      ...blobs,
      [`${library}/qwen3/8b`]: manifest(['model']),
      '.lmstudio/models/a/b/c.gguf': 'x',
    })
    const models = await listLocal(folders, catalog)

    for (const model of models) {
      await expect(removeModel(model)).rejects.toMatchObject({ code: 'permission-denied' })
    }

    expect(models.map(({ path }) => existsSync(path))).toEqual([true, true])
  })

  test("deletes no foreign file through a link in covey's folder", async () => {
    const folders = await tempHome({ 'other/c.gguf': 'x' })
    const other = join(dirname(folders.own), 'other', 'c.gguf')
    await mkdir(folders.own)
    await symlink(other, join(folders.own, 'c.gguf'))
    const [model] = await listLocal(folders, catalog)

    await removeModel(model!)

    expect(existsSync(other)).toBe(true)
    expect(await listLocal(folders, catalog)).toEqual([])
  })

  test('does not take over a download in progress', async () => {
    const folders = await tempHome({ 'own/a.gguf.download/data': 'x' })
    const fetching = await acquireLock(join(folders.own, 'a.gguf.download'), () => '')

    await expect(removeUnfinished(folders.own, 'a.gguf')).rejects.toMatchObject({
      code: 'session-busy',
      message: `a.gguf is being fetched by process ${process.pid}; wait for it, or stop it first.`,
    })

    expect(await listUnfinished(folders.own)).toEqual(['a.gguf'])
    await fetching.release()
  })

  test('clears away what was begun and not finished', async () => {
    const folders = await tempHome({ 'own/a.gguf.download/data': 'x' })
    await writeFile(join(folders.own, 'b.gguf'), 'x')

    expect(await listUnfinished(folders.own)).toEqual(['a.gguf'])
    await removeUnfinished(folders.own, 'a.gguf')

    expect(await listUnfinished(folders.own)).toEqual([])
    expect(existsSync(join(folders.own, 'b.gguf'))).toBe(true)
  })
})
