/** How often the rule fires on text people really wrote. A false alarm ends a good answer, so they are counted. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createRepetitionWatch, type RepetitionFinding } from '../../../src/engine/detectors/repetition.ts'
import { shortHash } from '../../../src/lib/hash.ts'

const SAMPLE = 2000
const LARGEST = 400_000

/** Different files only: the same generated file in five packages is one. */
function sample(): readonly { readonly path: string; readonly text: string }[] {
  const paths = readdirSync('node_modules', { recursive: true, encoding: 'utf8' })
    .filter((path) => ['.js', '.ts', '.md'].includes(extname(path)))
    .map((path) => join('node_modules', path))
    .filter((path) => statSync(path).isFile() && statSync(path).size < LARGEST)
    .toSorted()
  const step = Math.max(1, Math.floor(paths.length / (SAMPLE * 1.5)))
  const files = paths
    .filter((_, index) => index % step === 0)
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
  const byHash = new Map(files.map((file) => [shortHash(file.text), file]))
  return [...byHash.values()].slice(0, SAMPLE)
}

const findings = (texts: readonly { readonly path: string; readonly text: string }[]) =>
  texts.flatMap(({ path, text }) => {
    const finding = createRepetitionWatch().push(text)
    return finding ? [{ path, ...finding }] : []
  })

const show = (found: readonly (RepetitionFinding & { readonly path: string })[]): string =>
  found.map(({ path, kind, unit }) => `\n  ${kind} ${path} ${JSON.stringify(unit.slice(0, 50))}`).join('')

/** Bounds against getting worse, above what was measured with other packages: 3 to 5, 1 to 8 and 0 to 2 of 2,000. */
const MOST = { exact: 0.004, paraphrase: 0.005, fenced: 0.0015 }

test('the rule hardly ever fires on real source files', () => {
  const files = sample()

  const prose = findings(files)
  const exact = prose.filter(({ kind }) => kind === 'exact')
  const paraphrase = prose.filter(({ kind }) => kind === 'paraphrase')
  const fenced = findings(
    files.map(({ path, text }) => ({ path, text: `\`\`\`\`\`\n${text}\n\`\`\`\`\`\n` })),
  )

  console.log(
    `${files.length} files; as prose ${prose.length}:${show(prose)}\nin a fence ${fenced.length}:${show(fenced)}`,
  )
  expect(exact.length).toBeLessThanOrEqual(files.length * MOST.exact)
  expect(paraphrase.length).toBeLessThanOrEqual(files.length * MOST.paraphrase)
  expect(fenced.length).toBeLessThanOrEqual(files.length * MOST.fenced)
})
