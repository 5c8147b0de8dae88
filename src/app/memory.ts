/** Joins what outlives a session, facts and the index of the code, with a project: for sessions, and for `covey memory`. */
import { join } from 'node:path'
import type { AppPaths } from '../config/paths.ts'
import { toSecretPatterns } from '../config/secrets.ts'
import type { Config } from '../config/schema.ts'
import { createFiles } from '../guard/paths/files.ts'
import { createFirewall } from '../guard/secrets/firewall.ts'
import { environmentSecrets } from '../guard/secrets/known.ts'
import { shortHash } from '../lib/hash.ts'
import { type CodeIndex, openCodeIndex } from '../memory/code/open-index.ts'
import { pruneIndexes } from '../memory/code/shelf.ts'
import type { EmbedderSource, NamedEmbedder } from '../memory/meaning.ts'
import { type Memory, openMemory } from '../memory/store.ts'
import { errorMessage } from '../protocol/error.ts'
import { defined } from '../lib/object.ts'

export type MemoryContext = {
  readonly config: Config
  readonly paths: AppPaths
  readonly env: NodeJS.ProcessEnv
  readonly root: string
  /** Nothing is read and nothing kept. */
  readonly incognito: boolean
  readonly embedder?: EmbedderSource
  warn(message: string): void
}

export type Memories = { readonly memory?: Memory; readonly index?: CodeIndex; close(): Promise<void> }

/** One that cannot be opened is a warning; the other works without it. */
export async function openMemories(context: MemoryContext): Promise<Memories> {
  const { config, warn } = context
  const without =
    (what: string) =>
    (error: unknown): undefined =>
      void warn(`${what}: ${errorMessage(error)}`)
  const memory = config.memory.enabled
    ? await openFacts(context).catch(without('nothing is remembered'))
    : undefined
  const index = config.memory.code_index
    ? await openIndex(context).catch(without('code is not indexed'))
    : undefined
  return {
    ...defined({ memory, index }),
    async close() {
      index?.close()
      await memory?.close()
    },
  }
}

async function openIndex(context: MemoryContext): Promise<CodeIndex> {
  const { paths, root, incognito, embedder, warn } = context
  if (incognito) return openCodeIndex({ warn })
  const folder = join(paths.dataFolder, 'code')
  const path = join(folder, `${shortHash(root)}.db`)
  const index = await openCodeIndex({
    path,
    warn,
    ...(embedder && { embedder: withoutSecrets(embedder, context) }),
  })
  await pruneIndexes(folder, path)
  return index
}

/** Code is embedded as a model would be shown it. */
function withoutSecrets(source: EmbedderSource, context: MemoryContext): EmbedderSource {
  const firewall = firewallOf(context)
  const masked = (embedder: NamedEmbedder): NamedEmbedder => ({
    ...embedder,
    async embed(texts, signal) {
      return embedder.embed(await Promise.all(texts.map((text) => firewall.outgoing(text))), signal)
    },
  })
  if (typeof source === 'object') return masked(source)
  return async () => {
    const embedder = await source()
    return embedder && masked(embedder)
  }
}

const firewallOf = ({ config, env, root }: MemoryContext) =>
  createFirewall({
    files: createFiles({ root }),
    patterns: toSecretPatterns(config.secrets),
    entropy: config.secrets.entropy,
    known: environmentSecrets(env),
  })

export function openFacts(context: MemoryContext): Promise<Memory> {
  const { config, paths, root, incognito, embedder, warn } = context
  const firewall = firewallOf(context)
  return openMemory({
    ...(!incognito && { path: join(paths.dataFolder, 'memory.db') }),
    project: root,
    keep: config.memory.keep,
    ...defined({ embedder }),
    async refuse(text) {
      const kinds = firewall.secretsIn(await firewall.outgoing(text)).map(({ kind }) => kind)
      return kinds.length > 0 ? [...new Set(kinds)].join(', ') : undefined
    },
    now: Date.now,
    warn,
  })
}
