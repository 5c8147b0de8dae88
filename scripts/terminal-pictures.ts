/**
 * Pictures of the terminal for docs/terminal.md: the real components draw into a screen model, its cells become a page, and
 * Chromium takes the picture. Needs `chromium` (or its path in CHROMIUM) and a monospaced font.
 * Run with: npm run docs:pictures
 */
import { fileURLToPath } from 'node:url'
import xterm from '@xterm/headless'
import { pictures } from './terminal-pictures/scenes.ts'
import { takePicture } from './terminal-pictures/take.ts'

const COLUMNS = 84
const ROWS = 22

for (const [name, draw] of Object.entries(pictures)) {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true })
  let written = ''
  await draw({ columns: COLUMNS, rows: ROWS, write: (text) => void (written += text) })
  await new Promise<void>((resolve) => terminal.write(written, resolve))
  takePicture(terminal, fileURLToPath(new URL(`../docs/terminal/${name}.png`, import.meta.url)))
}
process.exit()
