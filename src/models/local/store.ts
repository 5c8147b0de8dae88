/**
 * The models that are already here: in covey's own folder, Ollama's and LM Studio's. All can be used where they lie.
 * Nothing is changed here.
 */
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { nearest } from '../../lib/nearest.ts'
import { AppError } from '../../protocol/error.ts'
import { quantsOf, toId, type CatalogEntry } from '../catalog.ts'
import type { LocalModel } from './model.ts'
import { ollamaModels } from '../ollama.ts'
import { quantInName } from '../quant.ts'

export type ModelFolders = {
  readonly own: string
  readonly ollama: readonly string[]
  readonly lmStudio: readonly string[]
}

/** The default model folders of other programs. */
export function modelFolders(own: string, home: string, env: NodeJS.ProcessEnv): ModelFolders {
  const ollama = env['OLLAMA_MODELS']
  return {
    own,
    ollama: ollama
      ? [ollama]
      : [join(home, '.ollama', 'models'), '/usr/share/ollama/.ollama/models', '/var/lib/ollama/models'],
    lmStudio: [join(home, '.lmstudio', 'models'), join(home, '.cache', 'lm-studio', 'models')],
  }
}

export async function listLocal(
  folders: ModelFolders,
  catalog: readonly CatalogEntry[],
): Promise<readonly LocalModel[]> {
  const found = await Promise.all([
    ggufFiles(folders.own, 'covey', catalog),
    ...folders.lmStudio.map((folder) => ggufFiles(folder, 'lm-studio', catalog)),
    ...folders.ollama.map(ollamaModels),
  ])
  return found.flat().toSorted((a, b) => a.id.localeCompare(b.id) || a.source.localeCompare(b.source))
}

/** LM Studio keeps owner/repository/file; a link loop or a deep tree is not a model folder. */
const DEEPEST = 4

async function ggufFiles(
  folder: string,
  source: LocalModel['source'],
  catalog: readonly CatalogEntry[],
  depth = 0,
): Promise<readonly LocalModel[]> {
  const names = depth > DEEPEST ? [] : await readdir(folder).catch(() => [])
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const info = await stat(path).catch(() => undefined)
      if (info?.isDirectory() && source !== 'covey') return ggufFiles(path, source, catalog, depth + 1)
      return info?.isFile() && isModelFile(name) ? [toLocal(path, info.size, source, catalog)] : []
    }),
  )
  return found.flat()
}

/** Not the projector of a vision model, and of a split model only the first part, which leads to the others. */
const isModelFile = (name: string): boolean =>
  /\.gguf$/i.test(name) && !/^mmproj/i.test(name) && !/-(?!00001)\d{5}-of-\d{5}\.gguf$/i.test(name)

function toLocal(
  path: string,
  bytes: number,
  source: LocalModel['source'],
  catalog: readonly CatalogEntry[],
): LocalModel {
  const name = basename(path)
  const quant = quantInName(name)
  const id = idOf(name, catalog) ?? name.replace(/\.gguf$/i, '')
  return { id, name, path, bytes, source, ...(quant && { quant }) }
}

const idOf = (file: string, catalog: readonly CatalogEntry[]): string | undefined =>
  catalog
    .flatMap((entry) =>
      quantsOf(entry).map((quant) => ({ file: entry.files[quant]?.file, id: toId(entry, quant) })),
    )
    .find((known) => known.file?.toLowerCase() === file.toLowerCase())?.id

/** By id, name or file; throws `config-invalid` with what it may have been meant for. */
export function requireLocal(wanted: string, models: readonly LocalModel[]): LocalModel {
  const found = findLocal(wanted, models)
  if (found) return found
  const guess = nearest(
    wanted,
    models.flatMap(({ id, name }) => [id, name]),
  )
  const hint = guess ? `did you mean ${guess}?` : '`covey models ls` lists what is here.'
  throw new AppError('config-invalid', `No model "${wanted}" is on this machine; ${hint}`)
}

/** Capitals and the ending of a file do not matter; covey's own comes before others' where several have it. */
export function findLocal(wanted: string, models: readonly LocalModel[]): LocalModel | undefined {
  const word = fold(wanted)
  const matching = models.filter(
    ({ id, name, path }) => path === wanted || fold(id) === word || fold(name) === word,
  )
  return matching.find(({ source }) => source === 'covey') ?? matching[0]
}

const fold = (text: string): string => text.toLowerCase().replace(/\.gguf$/, '')
