/**
 * The models covey knows by name, read from `models/catalog.toml`. The schema is strict: a slip in the file is an error
 * that names the entry and the key, not a model that is quietly missing.
 */
import { readFile } from 'node:fs/promises'
import { parse } from 'smol-toml'
import { z } from 'zod'
import type { Capabilities, EmissionMode } from '../protocol/arm.ts'
import { editForms } from '../protocol/edit-form.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import { defined } from '../lib/object.ts'
import { packageFile } from '../lib/package-files.ts'
import { QUANTS, type Quant } from './quant.ts'

/** Layers that keep a KV cache of their own, all of one shape. */
export type AttentionLayers = {
  readonly layers: number
  readonly kvHeads: number
  /** Numbers in one key, and in one value, of one head. */
  readonly key: number
  readonly value: number
  /** These layers look back only so far and keep no more. */
  readonly sliding?: number
}

type CatalogFile = {
  readonly file: string
  readonly bytes?: number
  readonly sha256?: string
}

export type CatalogEntry = {
  readonly name: string
  readonly size: string
  readonly title: string
  readonly parameters: number
  /** Parameters read for one token: fewer than all in a mixture of experts. */
  readonly active: number
  /** How well it does as a coding agent, by our judgement; only the order means something. */
  readonly rank: number
  readonly licence: string
  readonly window: number
  readonly layers: number
  readonly attention: readonly AttentionLayers[]
  readonly dialect: string
  readonly emission: EmissionMode
  readonly editForm: Capabilities['editForm']
  readonly fim: boolean
  readonly thinking: boolean
  readonly sampling: Readonly<Record<string, number>>
  readonly notes: string
  /** Repository for mlx_lm and LM Studio on Apple machines; `{bits}` is 4 or 8. */
  readonly mlx: string
  readonly repo: string
  readonly revision: string
  readonly files: Readonly<Partial<Record<Quant, CatalogFile>>>
  /** Unverified fields. */
  readonly unchecked: readonly string[]
}

const CATALOG = 'models/catalog.toml'

export async function loadCatalog(): Promise<readonly CatalogEntry[]> {
  return parseCatalog(await readFile(packageFile(CATALOG), 'utf8'), CATALOG)
}

/** Throws `config-invalid` with every mistake in `text`; `place` is what to call it. */
export function parseCatalog(text: string, place: string): readonly CatalogEntry[] {
  const values = readToml(text, place)
  const parsed = Catalog.safeParse(values)
  const problems = parsed.success
    ? repeated(parsed.data.models)
    : parsed.error.issues.map((issue) => describe(issue, values))
  if (!parsed.success || problems.length > 0)
    throw new AppError('config-invalid', problems.map((problem) => `${place}: ${problem}`).join('\n'))
  return parsed.data.models.map(toEntry)
}

const SHA256 = /^[0-9a-f]{64}$/
const FILE_NAME = /^[\w.{}-]+\.gguf$/i

const attention = z.strictObject({
  layers: z.int().positive(),
  kv_heads: z.int().positive(),
  key: z.int().positive(),
  value: z.int().min(0).optional(),
  sliding: z.int().positive().optional(),
})

const file = z.strictObject({
  file: z.string().regex(FILE_NAME).optional(),
  bytes: z.int().positive().optional(),
  sha256: z.string().regex(SHA256).optional(),
})

const model = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
  size: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
  title: z.string().min(1),
  parameters: z.number().positive().max(1000),
  active: z.number().positive().optional(),
  rank: z.int().min(0).max(100),
  licence: z.string().min(1),
  window: z.int().min(2048),
  layers: z.int().positive(),
  attention: z.array(attention).min(1),
  dialect: z.string().min(1),
  emission: z.strictObject({
    base: z.enum(['tool-role', 'user-results', 'collapsed']),
    strict: z.boolean().optional(),
    no_system: z.boolean().optional(),
  }),
  edit_form: z.enum(editForms),
  fim: z.boolean(),
  thinking: z.boolean(),
  sampling: z.strictObject({
    temperature: z.number().min(0).max(2),
    top_p: z.number().min(0).max(1).optional(),
    top_k: z.int().min(0).optional(),
    min_p: z.number().min(0).max(1).optional(),
    presence_penalty: z.number().optional(),
    repeat_penalty: z.number().optional(),
  }),
  notes: z.string(),
  mlx: z.string().regex(/^[\w.-]+\/[\w.{}-]+$/),
  unchecked: z.array(
    z.enum(['parameters', 'attention', 'window', 'sampling', 'licence', 'mlx', 'dialect', 'fim']),
  ),
  gguf: z.strictObject({
    repo: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
    revision: z
      .string()
      .regex(/^[0-9a-f]{40}$/)
      .optional(),
    file: z.string().regex(FILE_NAME),
    quants: z
      .partialRecord(z.enum(QUANTS), file)
      .refine((quants) => Object.keys(quants).length > 0, 'names no quantisation'),
  }),
})

const Catalog = z.strictObject({ models: z.array(model).min(1) })

type CatalogModel = z.output<typeof model>

function readToml(text: string, place: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    const [first = ''] = errorMessage(error).split('\n')
    throw new AppError('config-invalid', `${place}: ${first}`, { cause: error })
  }
}

/** `models[3].rank` says little to a person; the name and size of the entry say where to look. */
function describe(issue: z.core.$ZodIssue, values: unknown): string {
  const [list, index, ...rest] = issue.path
  if (list !== 'models' || typeof index !== 'number') return issue.message
  const { models } = values as { models: readonly { name?: unknown; size?: unknown }[] }
  const { name, size } = models[index] ?? {}
  const label = name === undefined ? `entry ${index + 1}` : `${String(name)}:${String(size)}`
  return rest.length > 0 ? `${label}: ${rest.join('.')}: ${issue.message}` : `${label}: ${issue.message}`
}

function repeated(models: readonly CatalogModel[]): string[] {
  const labels = models.map(({ name, size }) => `${name}:${size}`)
  return [...new Set(labels.filter((label, index) => labels.indexOf(label) !== index))].map(
    (label) => `${label}: is there twice`,
  )
}

const BILLION = 1e9

function toEntry({ edit_form: editForm, gguf, emission, ...rest }: CatalogModel): CatalogEntry {
  const { base, strict, no_system: noSystem } = emission
  return {
    ...rest,
    editForm,
    parameters: rest.parameters * BILLION,
    active: (rest.active ?? rest.parameters) * BILLION,
    attention: rest.attention.map(({ kv_heads: kvHeads, value, sliding, ...shape }) => ({
      ...shape,
      kvHeads,
      value: value ?? shape.key,
      ...defined({ sliding }),
    })),
    emission: { base, ...defined({ strict, noSystem }) },
    sampling: defined(rest.sampling),
    repo: gguf.repo,
    revision: gguf.revision ?? 'main',
    files: toFiles(gguf),
  }
}

function toFiles({ file: pattern, quants }: CatalogModel['gguf']): CatalogEntry['files'] {
  return Object.fromEntries(
    Object.entries(quants).map(([quant, { file: own, ...known } = {}]) => [
      quant,
      { file: own ?? fileName(pattern, quant), ...defined(known) },
    ]),
  )
}

const fileName = (pattern: string, quant: string): string =>
  pattern.replace('{quant}', quant).replace('{QUANT}', quant.toUpperCase())

/** `qwen2.5-coder:7b:q4_k_m`: what `--model` and `covey models pull` take. */
export const toId = ({ name, size }: CatalogEntry, quant: Quant): string => `${name}:${size}:${quant}`

/** The quantisations an entry has files of, the one that loses most first. */
export const quantsOf = ({ files }: CatalogEntry): readonly Quant[] =>
  QUANTS.filter((quant) => files[quant] !== undefined)
