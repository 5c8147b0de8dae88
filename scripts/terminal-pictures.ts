/**
 * Pictures of the terminal for docs/terminal.md: the real components draw into a screen model, its cells become a page, and
 * Chromium takes the picture. Needs `chromium` (or its path in CHROMIUM) and a monospaced font.
 * Run with: npm run docs:pictures
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import xterm from '@xterm/headless'
import { cellsToHtml, PAGE_SIZE } from './terminal-pictures/page.ts'
import { pictures } from './terminal-pictures/scenes.ts'

const COLUMNS = 84
const ROWS = 22
const LARGEST = 60_000

const target = fileURLToPath(new URL('../docs/terminal/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'covey-pictures-'))
const chromium = process.env['CHROMIUM'] ?? 'chromium'
try {
  for (const [name, draw] of Object.entries(pictures)) {
    const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true })
    let written = ''
    await draw({ columns: COLUMNS, rows: ROWS, write: (text) => void (written += text) })
    await new Promise<void>((resolve) => terminal.write(written, resolve))
    const page = join(folder, `${name}.html`)
    const picture = join(target, `${name}.png`)
    writeFileSync(page, cellsToHtml(terminal))
    const size = PAGE_SIZE(COLUMNS, ROWS)
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run']
    execFileSync(
      chromium,
      [
        ...flags,
        `--user-data-dir=${folder}`,
        `--window-size=${size}`,
        `--screenshot=${picture}`,
        pathToFileURL(page).href,
      ],
      { stdio: 'ignore' },
    )
    const bytes = statSync(picture).size
    if (bytes > LARGEST) throw new Error(`${picture} has ${bytes} bytes, more than ${LARGEST}`)
    console.log(`${picture} ${bytes}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit()
