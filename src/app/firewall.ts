/**
 * Opens the secret firewall of a session (its key, what it remembers, the secrets the configuration holds) and its
 * audit log.
 */
import { join } from 'node:path'
import type { Config } from '../config/schema.ts'
import { toSecretPatterns } from '../config/secrets.ts'
import { createAudit } from '../guard/audit.ts'
import { createFiles } from '../guard/paths/files.ts'
import { createFirewall } from '../guard/secrets/firewall.ts'
import { environmentSecrets } from '../guard/secrets/known.ts'
import { loadSecretKey, openSecretStore } from '../guard/secrets/store.ts'
import type { AppPaths } from '../config/paths.ts'
import type { Reserve } from '../protocol/arm.ts'
import type { Firewall } from '../protocol/firewall.ts'
import type { AuditEntry } from '../protocol/guard.ts'
import type { Files, Results } from '../protocol/tool.ts'

type SecretsParts = {
  readonly config: Config
  readonly paths: AppPaths
  readonly env: NodeJS.ProcessEnv
  readonly incognito: boolean
  readonly apiKey?: string
}

type SecretsScope = { readonly folder?: string; warn(message: string): void }

type Secrets = { readonly firewall: Firewall; close(): Promise<void> }

export async function openSecrets(
  { config, paths, env, apiKey, incognito }: SecretsParts,
  { folder, warn }: SecretsScope,
  files: Files,
): Promise<Secrets> {
  const key = incognito ? undefined : await loadSecretKey(join(paths.dataFolder, 'keys', 'secrets'))
  const store = folder === undefined ? undefined : await openSecretStore(join(folder, 'secrets.jsonl'))
  const patterns = toSecretPatterns(config.secrets)
  const close = async () => store?.close()
  try {
    const firewall = createFirewall({
      files,
      patterns,
      entropy: config.secrets.entropy,
      known: [...keysOf(config, apiKey), ...environmentSecrets(env)],
      onWarning: warn,
      ...(key && { key }),
      ...(store && { records: store.records, keep: store.keep }),
    })
    return { firewall, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Keys written in the configuration; `${VARIABLE}` is read from the environment. */
function keysOf({ arms, mcp, tool_host: host, federation }: Config, apiKey: string | undefined) {
  const keys = [
    apiKey,
    host.token,
    federation.nats.password,
    ...Object.values(arms).map((arm) => arm.api_key),
  ]
  const named = [...Object.values(arms), ...Object.values(mcp.servers)]
  return [
    ...keys.flatMap((value) => (value && !value.includes('${') ? [{ kind: 'api-key', value }] : [])),
    ...named.flatMap(({ headers }) => environmentSecrets(headers)),
    ...Object.values(mcp.servers).flatMap((server) => environmentSecrets(server.env)),
  ]
}

/** Whatever arm is reserved, it is asked and heard through the firewall. */
export const throughFirewall =
  (reserve: Reserve, firewall: Firewall): Reserve =>
  async (request, signal) => {
    const lease = await reserve(request, signal)
    return { ...lease, model: firewall.model(lease.model) }
  }

/** What is kept outside the context is clean as well. */
export const cleanResults = (results: Results, firewall: Firewall): Results => ({
  ...results,
  put: async (label, text) => results.put(firewall.outgoingNow(label), await firewall.outgoing(text)),
})

export function auditOf(
  { paths, incognito }: Pick<SecretsParts, 'paths' | 'incognito'>,
  { id }: { readonly id: string },
  { outgoingValue }: Firewall,
): (entry: Omit<AuditEntry, 'sessionId'>) => void {
  if (incognito) return () => {}
  const audit = createAudit({ path: join(paths.dataFolder, 'audit.log'), outgoingValue })
  return (entry) => audit.write({ ...entry, sessionId: id })
}

const MAX_CLIENTS = 200

/** Each client has its own placeholders, for as long as the server runs: the same text is sent as the same bytes. */
export function clientFirewalls(root: string): (client: string) => Firewall {
  const known = new Map<string, Firewall>()
  return (client) => {
    const firewall = known.get(client) ?? createFirewall({ files: createFiles({ root }) })
    known.delete(client)
    known.set(client, firewall)
    const [oldest] = known.keys()
    if (known.size > MAX_CLIENTS && oldest !== undefined) known.delete(oldest)
    return firewall
  }
}
