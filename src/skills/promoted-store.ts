/**
 * Functions that became tools, on disk: a folder each with a copy of the code and a manifest. The manifest names the
 * file of the code and is written last, so a killed process leaves the old function or the new one.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { JsonSchema } from '../protocol/model.ts'
import { categories, type Category } from '../protocol/tool.ts'
import { storageError, writeAtomic } from '../lib/atomic-write.ts'
import { ensureFolder } from '../lib/ensure-folder.ts'
import { canonicalJson } from '../lib/json.ts'
import { foldersIn } from './folder-content.ts'

/** What a promoted function is, without its code. */
export type Promoted = {
  readonly name: string
  readonly description: string
  readonly language: 'python' | 'typescript'
  /** Its name in the code. */
  readonly function: string
  readonly parameters: JsonSchema
  readonly category?: Category
  readonly promotedAt: string
  /** The file of the code, beside the manifest. */
  readonly file: string
  /** Of this and the code, when a person agreed to it. */
  readonly hash: string
}

type PromotedDraft = Omit<Promoted, 'promotedAt' | 'file' | 'hash'>

export interface PromotedStore {
  /** What can be used, and what is wrong with the rest. */
  load(): Promise<{ readonly functions: readonly Promoted[]; readonly warnings: readonly string[] }>
  /** Replaces one of the same name. */
  save(draft: PromotedDraft, source: string): Promise<Promoted>
  /** The code as it is now, and the hash of it as it is now. */
  read(promoted: Promoted): Promise<{ readonly source: string; readonly hash: string }>
  remove(name: string): Promise<boolean>
  /** What agreement is bound to. */
  pathOf(name: string): string
}

export const toolName = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/

const Manifest: z.ZodType<Promoted> = z.object({
  name: z.string().regex(toolName).max(64),
  description: z.string(),
  language: z.enum(['python', 'typescript']),
  function: z.string().regex(/^[A-Za-z_$][\w$]*$/),
  parameters: z.record(z.string(), z.unknown()),
  category: z.enum(categories).exactOptional(),
  promotedAt: z.string(),
  file: z.string().regex(/^source-[0-9a-f]+\.(?:py|ts)$/),
  hash: z.string(),
})

export function openPromotedStore(folder: string, now: () => Date = () => new Date()): PromotedStore {
  const pathOf = (name: string): string => join(folder, name)
  return {
    pathOf,
    async load() {
      const warnings: string[] = []
      const functions: Promoted[] = []
      const names = await foldersIn(folder).catch((error: unknown) => {
        warnings.push(`promoted functions cannot be read: ${errorMessage(error)}`)
        return []
      })
      for (const name of names) {
        try {
          functions.push(await readManifest(folder, name))
        } catch (error) {
          warnings.push(`the promoted function in ${pathOf(name)} is left out: ${errorMessage(error)}`)
        }
      }
      return { functions, warnings }
    },
    async save(draft, source) {
      const hash = hashOf(draft, source)
      const file = `source-${hash.slice(0, 16)}.${draft.language === 'python' ? 'py' : 'ts'}`
      const promoted: Promoted = { ...draft, promotedAt: now().toISOString(), file, hash }
      await write(pathOf(draft.name), promoted, source)
      return promoted
    },
    async read(promoted) {
      const path = join(pathOf(promoted.name), promoted.file)
      const source = await readFile(path, 'utf8').catch((error: unknown) => {
        throw storageError(path, error)
      })
      return { source, hash: hashOf(promoted, source) }
    },
    async remove(name) {
      const isKnown = (await foldersIn(folder)).includes(name)
      if (isKnown) await rm(pathOf(name), { recursive: true, force: true })
      return isKnown
    },
  }
}

async function readManifest(folder: string, name: string): Promise<Promoted> {
  const text = await readFile(join(folder, name, 'manifest.json'), 'utf8')
  const manifest = Manifest.parse(JSON.parse(text))
  // Refused here and not when a session wants to begin.
  toInput(manifest)
  if (manifest.name === name) return manifest
  throw new AppError('config-invalid', `its manifest says it is called ${manifest.name}`)
}

/** The names of the parameters and their types; the function has its own say about the rest. */
export const toInput = ({ parameters }: Pick<Promoted, 'parameters'>): z.ZodType =>
  z.fromJSONSchema(parameters as Parameters<typeof z.fromJSONSchema>[0])

async function write(folder: string, promoted: Promoted, source: string): Promise<void> {
  await ensureFolder(folder)
  await writeAtomic(join(folder, promoted.file), source, { mode: 0o600 })
  await writeAtomic(join(folder, 'manifest.json'), `${JSON.stringify(promoted, null, 2)}\n`, { mode: 0o600 })
  const older = (await readdir(folder)).filter((name) => name.startsWith('source-') && name !== promoted.file)
  await Promise.all(older.map((name) => rm(join(folder, name), { force: true })))
}

/** Over everything that decides what a call does. */
function hashOf(
  { name, description, language, function: inCode, parameters, category }: PromotedDraft,
  source: string,
): string {
  const facts = canonicalJson({
    name,
    description,
    language,
    function: inCode,
    parameters,
    category: category ?? null,
  })
  return createHash('sha256')
    .update(`${Buffer.byteLength(facts)}:`)
    .update(facts)
    .update(source)
    .digest('hex')
}
