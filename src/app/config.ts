/** The configuration as far as the person trusts where it comes from; for the app, and for what needs no app. */
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { loadConfig, type LoadedConfig, type LoadOptions } from '../config/load.ts'
import { appPaths } from '../config/paths.ts'
import { openTrust } from '../guard/trust.ts'
import { changedLines, toDiffText } from '../lib/diff.ts'
import { isInside } from '../lib/path.ts'
import { readRegular } from '../lib/read-regular.ts'
import type { TrustedFile } from '../protocol/guard.ts'

/** What a project brings along counts as far as the person trusted it. */
export async function loadTrusted(options: LoadOptions): Promise<LoadedConfig> {
  const trust = await openTrustOf(options.env)
  return loadConfig({ ...options, isTrusted: trust.isTrusted })
}

/** Files of this project that changed since they were trusted: shown, and trusted as they are now after a yes. */
export async function reviewTrusted(
  { env, cwd }: Pick<LoadOptions, 'env' | 'cwd'>,
  confirm: (question: string) => Promise<boolean>,
): Promise<void> {
  const trust = await openTrustOf(env)
  const roots = [cwd, await realpath(cwd)]
  for (const known of trust.list().filter(({ path }) => roots.some((root) => isInside(root, path)))) {
    const text = await textOf(known.path)
    if (text === undefined) continue
    const hash = createHash('sha256').update(text).digest('hex')
    if (hash === known.contentHash) continue
    const question = `${known.path} changed since you trusted it, so it does not run:\n${changeText(known, text)}\nTrust it as it is now?`
    if (await confirm(question)) await trust.add(known.path, hash, text)
  }
}

const MAX_BYTES = 16 * 1024 * 1024
const MOST_LINES = 60

const textOf = (path: string): Promise<string | undefined> =>
  realpath(path)
    .then((real) => readRegular(real, MAX_BYTES))
    .then(
      (file) => file?.bytes.toString('utf8'),
      () => undefined,
    )

/** Of a file that was too long to keep, what it says now. */
function changeText({ text: before = '' }: TrustedFile, now: string): string {
  const change = changedLines(before, now)
  return change ? toDiffText(change, MOST_LINES) : 'only ends of lines differ'
}

export const openTrustOf = (env: NodeJS.ProcessEnv) =>
  openTrust(join(appPaths(env, process.platform).dataFolder, 'trust.json'))
