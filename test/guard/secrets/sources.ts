/** Ordinary source, to count what is taken for a secret and is none. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { redact } from '../../../src/guard/secrets/firewall.ts'

export async function falseHits(most: number): Promise<{ lines: number; hits: readonly string[] }> {
  const hits: string[] = []
  let lines = 0
  for (const path of sourceFiles(most)) {
    const text = readFileSync(path, 'utf8')
    lines += text.split('\n').length
    for (const { kind } of (await redact(text)).found) hits.push(`${path}: ${kind}`)
  }
  return { lines, hits }
}

/** Every so manieth source file of the packages we stand on, without those that are about secrets themselves. */
function sourceFiles(most: number): readonly string[] {
  const root = fileURLToPath(new URL('../../../node_modules', import.meta.url))
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const sources = names
    .filter((name) => /\.(?:[cm]?[jt]s|json|md|ya?ml|py|sh)$/.test(name) && !/redact/.test(name))
    .toSorted()
  const chosen: string[] = []
  let lines = 0
  for (
    let index = 0;
    index < sources.length && lines < most;
    index += Math.ceil((sources.length * 50) / most)
  ) {
    const path = join(root, sources[index] ?? '')
    const { size } = statSync(path)
    if (size === 0 || size > 200_000) continue
    const count = readFileSync(path, 'utf8').split('\n').length
    if (size / count > 300) continue
    lines += count
    chosen.push(path)
  }
  return chosen
}
