/**
 * Plugins: folders with a manifest that bring skills, hooks and MCP servers. Adding one copies it and pins the hash of
 * all its files; whatever differs from that later is not used until a person agrees again.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { z } from 'zod'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Trust } from '../protocol/guard.ts'
import { hookEvents, type HookSpec } from '../protocol/hooks.ts'
import { errnoOf, storageError } from '../lib/atomic-write.ts'
import { isObject } from '../lib/json.ts'
import { type FolderContent, foldersIn, readFolder } from './folder-content.ts'
import { skillName } from './skill.ts'

export type Plugin = {
  readonly name: string
  readonly description: string
  readonly folder: string
  readonly contentHash: string
  /** Where its skills are, one folder each. */
  readonly skillsFolder: string
  readonly hooks: readonly HookSpec[]
  /** By name, as they would stand under `[mcp.servers]`. */
  readonly mcpServers: Readonly<Record<string, unknown>>
}

export type LoadedPlugins = {
  readonly plugins: readonly Plugin[]
  /** There, but not as they were agreed to. */
  readonly changed: readonly Plugin[]
  readonly warnings: readonly string[]
}

export async function loadPlugins(folder: string, trust: Pick<Trust, 'isTrusted'>): Promise<LoadedPlugins> {
  const plugins: Plugin[] = []
  const changed: Plugin[] = []
  const warnings: string[] = []
  const names = await foldersIn(folder).catch((error: unknown) => {
    warnings.push(`plugins cannot be read: ${errorMessage(error)}`)
    return []
  })
  for (const name of names) {
    try {
      const plugin = toPlugin(join(folder, name), await readFolder(join(folder, name)))
      if (trust.isTrusted(plugin.folder, plugin.contentHash)) plugins.push(plugin)
      else changed.push(plugin)
    } catch (error) {
      warnings.push(`the plugin ${name} is left out: ${errorMessage(error)}`)
    }
  }
  for (const { name } of changed) {
    warnings.push(
      `the plugin ${name} changed and is left out; \`covey skills trust ${name}\` agrees to it as it is.`,
    )
  }
  return { plugins, changed, warnings }
}

type Shelf = { readonly folder: string; readonly trust: Trust }

/** Copies it as it is now, in the place of an older one, and agrees to exactly that. */
export async function addPlugin(from: string, { folder, trust }: Shelf): Promise<Plugin> {
  const info = await stat(from).catch(() => undefined)
  if (!info?.isDirectory())
    throw new AppError('config-invalid', `${from} is not a directory; pass the plugin's directory.`)
  const content = await readFolder(from)
  const { name } = toPlugin(from, content)
  const target = join(folder, name)
  await replaceFolder(target, content)
  const plugin = toPlugin(target, content)
  await trust.add(target, plugin.contentHash)
  return plugin
}

/** The old one is gone only once the new one is whole. */
async function replaceFolder(target: string, content: FolderContent): Promise<void> {
  const aside = join(dirname(target), `.${basename(target)}-${randomBytes(4).toString('hex')}`)
  const fresh = `${aside}-new`
  const old = `${aside}-old`
  try {
    await copyTo(fresh, content)
    await rename(target, old).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error
    })
    await rename(fresh, target)
  } catch (error) {
    await rename(old, target).catch(() => undefined)
    await rm(fresh, { recursive: true, force: true })
    throw storageError(target, error)
  }
  await rm(old, { recursive: true, force: true })
}

export async function removePlugin(name: string, { folder, trust }: Shelf): Promise<boolean> {
  if (!(await foldersIn(folder)).includes(name)) return false
  await rm(join(folder, name), { recursive: true, force: true })
  await trust.remove(join(folder, name))
  return true
}

async function copyTo(target: string, { files }: FolderContent): Promise<void> {
  for (const { path, bytes, isExecutable } of files) {
    await mkdir(dirname(join(target, path)), { recursive: true, mode: 0o700 })
    await writeFile(join(target, path), bytes, { mode: isExecutable ? 0o700 : 0o600 })
  }
}

const Hook = z
  .strictObject({
    event: z.enum(hookEvents),
    type: z.enum(['command', 'prompt', 'agent']).default('command'),
    command: z.string().exactOptional(),
    prompt: z.string().exactOptional(),
    tool: z.string().exactOptional(),
    timeout_s: z.number().positive().max(600).default(30),
    fail_open: z.boolean().default(false),
  })
  .refine(({ type, command, prompt }) => (type === 'command' ? command : prompt) !== undefined, {
    error: 'needs `command`, or `prompt` for the types prompt and agent',
  })

const Manifest = z.strictObject({
  name: z.string().regex(skillName, 'must be lower-case words with hyphens').max(64),
  description: z.string().default(''),
  version: z.string().exactOptional(),
  hooks: z.record(z.string(), Hook).default({}),
  mcp_servers: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
})

function toPlugin(folder: string, { hash, files }: FolderContent): Plugin {
  const manifest = readManifest(folder, files)
  const { name } = manifest
  return {
    name,
    description: manifest.description,
    folder,
    contentHash: hash,
    skillsFolder: join(folder, 'skills'),
    hooks: Object.entries(manifest.hooks).map(([key, hook]) => toHook(`${name}/${key}`, hook, folder)),
    mcpServers: Object.fromEntries(
      Object.entries(manifest.mcp_servers).map(([key, server]) => [
        `${name}-${key}`,
        inFolder(server, folder),
      ]),
    ),
  }
}

function readManifest(folder: string, files: FolderContent['files']): z.output<typeof Manifest> {
  const file = files.find(({ path }) => path === 'plugin.toml' || path === 'plugin.json')
  if (!file) throw new AppError('config-invalid', `${folder} has neither plugin.toml nor plugin.json.`)
  const text = file.bytes.toString('utf8')
  try {
    return Manifest.parse(file.path.endsWith('.toml') ? parseToml(text) : JSON.parse(text))
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : []
    const why = issue ? `${issue.path.join('.')} ${issue.message}` : errorMessage(error)
    throw new AppError('config-invalid', `${join(folder, file.path)}: ${why}`, { cause: error })
  }
}

function toHook(name: string, hook: z.output<typeof Hook>, folder: string): HookSpec {
  const { event, type, command = '', prompt = '', tool, timeout_s: seconds, fail_open: failOpen } = hook
  const common = { name, event, failOpen, timeoutMs: seconds * 1000, ...(tool !== undefined && { tool }) }
  if (type !== 'command') return { ...common, type, prompt }
  return { ...common, type, command: command.replaceAll(PLACE, () => `'${folder.replaceAll("'", `'\\''`)}'`) }
}

/** Where the plugin lies, in what it says about its own programs. */
const PLACE = '${plugin}'

function inFolder(value: unknown, folder: string): unknown {
  if (typeof value === 'string') return value.replaceAll(PLACE, () => folder)
  if (Array.isArray(value)) return value.map((item) => inFolder(item, folder))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inFolder(inner, folder)]))
}
