/** The model that makes vectors for memory and code search, found where a server on this network offers one by name. */
import type { AppPaths } from '../config/paths.ts'
import { toServers } from '../config/router.ts'
import type { Config } from '../config/schema.ts'
import type { NamedEmbedder } from '../memory/meaning.ts'
import { createEmbedder } from '../provider/embedder.ts'
import { openConsent } from '../router/consent.ts'
import { allServers, findEmbeddingModel } from '../router/discovery.ts'

export type EmbeddingContext = {
  readonly config: Config
  readonly paths: Pick<AppPaths, 'dataFolder'>
}

/** What is remembered never leaves this network for it. */
export async function findEmbedder({ config, paths }: EmbeddingContext): Promise<NamedEmbedder | undefined> {
  if (!config.router.discover) return undefined
  const { problem } = openConsent(paths)
  const servers = allServers(toServers(config.router, false))
  const settings = await findEmbeddingModel({ servers, problem })
  return settings && { model: settings.id, embed: createEmbedder(settings) }
}
