/** Writes what `npm run test:real` saw into the table of docs/servers.md: `npx tsx scripts/real/table.ts`. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { realCache } from './weights.ts'

type Seen = { readonly server: string; readonly check: string; readonly what: string }

const PAGE = fileURLToPath(new URL('../../docs/servers.md', import.meta.url))
const START = '<!-- seen: written by scripts/real/table.ts -->\n'
const END = '<!-- end of seen -->'

const rows = (await readFile(join(realCache(), 'seen.jsonl'), 'utf8'))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Seen)
const page = await readFile(PAGE, 'utf8')
const [before, after] = [page.indexOf(START), page.indexOf(END)]
if (before < 0 || after < before) throw new Error(`${PAGE} has no table of what was seen`)
await writeFile(PAGE, `${page.slice(0, before)}${START}\n${table(rows)}\n\n${page.slice(after)}`)

/** The last time counts. */
function table(all: readonly Seen[]): string {
  const servers = [...new Set(all.map(({ server }) => server))]
  const checks = [...new Set(all.map(({ check }) => check))]
  const cell = (server: string, check: string): string =>
    all.findLast((seen) => seen.server === server && seen.check === check)?.what ?? ''
  return [
    ['', ...servers],
    ['---', ...servers.map(() => '---')],
    ...checks.map((check) => [check, ...servers.map((server) => cell(server, check))]),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
