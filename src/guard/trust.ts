/**
 * Files of projects a person agreed to. Agreement is to the very content, by its hash: a file that changes is asked for
 * again.
 */
import { z } from 'zod'
import type { Trust, TrustedFile } from '../protocol/guard.ts'
import { openJsonFile } from './json-file.ts'

const File = z.strictObject({
  files: z.array(
    z.strictObject({
      path: z.string(),
      contentHash: z.string().regex(/^[0-9a-f]{64}$/),
      addedAt: z.string(),
      text: z.string().exactOptional(),
    }),
  ),
})

/** Longer texts are known by their hash alone. */
const MOST_KEPT = 64 * 1024

export async function openTrust(path: string, now: () => Date = () => new Date()): Promise<Trust> {
  const file = await openJsonFile<{ files: TrustedFile[] }>(path, File, { files: [] })
  const others = (files: readonly TrustedFile[], gone: string): TrustedFile[] =>
    files.filter((each) => each.path !== gone)
  return {
    list: () => file.value().files,
    isTrusted: (wanted, hash) =>
      file.value().files.some((each) => each.path === wanted && each.contentHash === hash),
    add: (added, contentHash, text = '') =>
      file.update(({ files }) => ({
        files: [
          ...others(files, added),
          {
            path: added,
            contentHash,
            addedAt: now().toISOString(),
            ...(text !== '' && text.length <= MOST_KEPT && { text }),
          },
        ],
      })),
    async remove(gone) {
      const isKnown = file.value().files.some((each) => each.path === gone)
      await file.update(({ files }) => ({ files: others(files, gone) }))
      return isKnown
    },
  }
}
