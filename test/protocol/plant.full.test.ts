/**
 * A value planted in a copy of the source: the compiler, or the check of the docs, names every place that must know it.
 * The copy has the recipes of CONTRIBUTING.md in it, so that one compilation also shows that those compile.
 */
import { execFile } from 'node:child_process'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempProject } from '../support/project.ts'
import { applyChange, readRecipes } from '../support/recipes.ts'
import { undocumented } from './facts.ts'

const root = join(import.meta.dirname, '../..')

const planted: readonly (readonly [file: string, from: string, to: string])[] = [
  ['src/protocol/permission-modes.ts', "'auto', ", "'auto', 'planted', "],
  [
    'src/protocol/run-end-reasons.ts',
    "  error: { kind: 'error' },",
    "  planted: { kind: 'stuck' },\n  error: { kind: 'error' },",
  ],
  ['src/protocol/hooks.ts', "  'stop',", "  'stop',\n  'planted',"],
]

test(
  'only the places that must know a planted value do not compile, and the recipes do',
  { timeout: 600_000 },
  async () => {
    const copy = await tempProject()
    for (const name of ['src', 'docs', 'package.json', 'tsconfig.json'])
      await cp(join(root, name), join(copy, name), { recursive: true })
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    const page = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8')
    for (const change of readRecipes(page).flatMap(({ changes }) => changes)) await applyChange(copy, change)
    for (const [file, from, to] of planted) {
      const text = await readFile(join(copy, file), 'utf8')
      expect(text).toContain(from)
      await writeFile(join(copy, file), text.replace(from, to))
    }

    const broken = await filesThatDoNotCompile(copy)

    // A hook event without a payload also breaks what is generic over the payloads.
    expect(broken).toEqual([
      'src/engine/report.ts',
      'src/guard/hooks/run.ts',
      'src/guard/permission/modes.ts',
      'src/protocol/hooks.ts',
      'src/session/hooks.ts',
    ])
    const names = ['planted']
    expect(undocumented(copy, { modes: names, reasons: names, hooks: names, exits: [] })).toEqual([
      'docs/permissions.md: | `planted`',
      'docs/exit-codes.md: `planted`',
      'docs/hooks.md: `planted`',
    ])
  },
)

async function filesThatDoNotCompile(folder: string): Promise<readonly string[]> {
  const project = join(folder, 'tsconfig.check.json')
  await writeFile(project, JSON.stringify({ extends: './tsconfig.json', include: ['src'] }))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const argv = [compiler, '--noEmit', '--pretty', 'false', '--project', project]
  const output = await new Promise<string>((resolve) =>
    execFile(process.execPath, argv, { cwd: folder, maxBuffer: 2 ** 24 }, (_error, stdout) =>
      resolve(stdout),
    ),
  )
  return [...new Set(Array.from(output.matchAll(/^(src\/[^(]+)\(/gm), ([, name]) => name ?? ''))].toSorted()
}
