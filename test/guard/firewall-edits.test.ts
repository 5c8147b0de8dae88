import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFiles } from '../../src/guard/paths/files.ts'
import { createFirewall } from '../../src/guard/secrets/firewall.ts'
import type { Tool } from '../../src/protocol/tool.ts'
import { createApplyPatch } from '../../src/tools/apply-patch.ts'
import { createEditFile } from '../../src/tools/edit-file.ts'
import { createWriteFile } from '../../src/tools/write-file.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { secretLines } from './secrets/samples.ts'
import { runs } from '../support/runs.ts'

const EDITS = runs(30, 300)

const parts = { checks: async () => '', created: new Set<string>(), seen: new Set<string>() }

/** A file is a list of entries, each with a heading of its own so that a model can name it. */
type Entry = { readonly heading: string; readonly body: string }

const entries = fc
  .record({ seed: fc.nat(), picks: fc.array(fc.nat({ max: 200 }), { minLength: 2, maxLength: 10 }) })
  .map(({ seed, picks }) => {
    const secrets = secretLines(seed)
    return picks.map((pick, index): Entry => {
      const secret = secrets[pick]?.line.replace(/\n$/, '')
      return {
        heading: `# entry ${index} of this file`,
        body: secret ?? `plain = ${pick}\n\ttext\u200B with ümläuts`,
      }
    })
  })

const toText = (list: readonly Entry[], lineEnd: string): string =>
  list
    .map(({ heading, body }) => `${heading}\n${body}\n`)
    .join('')
    .replaceAll('\n', lineEnd)

/** What a model does with what it was shown: one of three tools, on one entry. */
const edit = fc.record({
  tool: fc.constantFrom('edit', 'write', 'patch'),
  entry: fc.nat(),
  what: fc.constantFrom('heading', 'end', 'entry'),
  lineEnd: fc.constantFrom('\n', '\n', '\r\n'),
})

type Change = { readonly before: string; readonly after: string }

/** The same change in terms of any text: with secrets, or with placeholders. */
function changed(text: string, heading: string, what: string): Change {
  const start = text.indexOf(heading)
  const next = text.indexOf('# entry', start + 1)
  const whole = text.slice(start, next < 0 ? text.length : next).replace(/\r?\n$/, '')
  if (what === 'heading') return { before: heading, after: `${heading} (read)` }
  return what === 'end' ? { before: whole, after: `${whole} // seen` } : { before: whole, after: heading }
}

test('edits of files with secrets leave every other byte as it was', async () => {
  const root = await tempProject()
  const path = 'settings.txt'
  let placeholders = 0

  await fc.assert(
    fc.asyncProperty(entries, edit, async (list, { tool, entry, what, lineEnd }) => {
      const original = toText(list, lineEnd)
      await writeFile(join(root, path), original)
      const firewall = createFirewall({ files: createFiles({ root }) })
      const shown = await firewall.files.read(path)
      placeholders += shown.split('[secret:').length - 1
      const { heading = '' } = list[entry % list.length] ?? {}
      const [asked, meant] = [changed(shown, heading, what), changed(original, heading, what)]
      const wanted = shown.replace(asked.before, () => asked.after)

      const result = await call(
        tool,
        { path, shown, wanted, ...asked },
        toolContext(root, { files: firewall.files }),
      )

      expect(result).toMatchObject({ ok: true })
      expect(await readFile(join(root, path), 'utf8')).toBe(original.replace(meant.before, () => meant.after))
    }),
    { numRuns: EDITS },
  )

  expect(placeholders).toBeGreaterThan(EDITS)
})

type Call = Change & { readonly path: string; readonly shown: string; readonly wanted: string }

function call(
  name: string,
  { path, before, after, shown, wanted }: Call,
  context: Parameters<Tool['run']>[1],
) {
  if (name === 'edit') return createEditFile(parts).run({ path, old: before, new: after }, context)
  if (name === 'write') {
    parts.seen.add(path)
    return createWriteFile(parts).run({ path, content: wanted, overwrite: true, append: false }, context)
  }
  const plain = (text: string) => text.replaceAll('\r\n', '\n')
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, plain(shown), plain(wanted))
  return createApplyPatch(parts).run({ patch }, context)
}
