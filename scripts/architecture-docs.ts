/**
 * Writes what ARCHITECTURE.md says about imports and about the way of one request, from the data the tests enforce:
 * `npm run docs:architecture`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { mayImport, trace } from '../test/support/layout.ts'

const page = new URL('../ARCHITECTURE.md', import.meta.url)

/** ARCHITECTURE.md with its generated parts as they should be. */
export function renderArchitecture(): string {
  return Object.entries({ trace: traceLines(), imports: tableLines() }).reduce(
    (text, [name, lines]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`),
        (_, open: string, close: string) => `${open}${lines.join('\n')}\n${close}`,
      ),
    readFileSync(page, 'utf8'),
  )
}

function traceLines(): string[] {
  return trace.flatMap(({ step, files }, index) => [
    `${index + 1}. ${step}`,
    `   ${files.map((file) => `\`${file}\``).join(' · ')}`,
  ])
}

/** Rows with the same list stand in one line. */
function tableLines(): string[] {
  const rows = new Map<string, string[]>()
  for (const [row, targets] of Object.entries(mayImport)) {
    const text = targets.join(', ') || 'nothing (zod only)'
    rows.set(text, [...(rows.get(text) ?? []), row])
  }
  return [
    '| folder | may import (besides itself) |',
    '|---|---|',
    ...Array.from(rows, ([text, names]) => `| ${names.join(', ')} | ${text} |`),
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, renderArchitecture())
