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
const servers = [...new Set(rows.map(serverOf))]
const tables = servers.map((name) => `### ${name}\n\n${table(rows.filter((row) => serverOf(row) === name))}`)
await writeFile(PAGE, `${page.slice(0, before)}${START}\n${tables.join('\n\n')}\n\n${page.slice(after)}`)

/** A column is called by the server and the model on it. */
function serverOf({ server }: Seen): string {
  return server.slice(0, server.lastIndexOf(', '))
}

function modelOf({ server }: Seen): string {
  return server.slice(server.lastIndexOf(', ') + 2)
}

/** One of a server, with a column for each model. The last time counts. */
function table(all: readonly Seen[]): string {
  const models = [...new Set(all.map(modelOf))]
  const checks = [...new Set(all.map(({ check }) => check))]
  const cell = (model: string, check: string): string =>
    all.findLast((seen) => modelOf(seen) === model && seen.check === check)?.what ?? ''
  return [
    ['', ...models],
    ['---', ...models.map(() => '---')],
    ...checks.map((check) => [check, ...models.map((model) => cell(model, check))]),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
