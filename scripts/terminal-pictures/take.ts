/** The cells of a screen model as a picture, taken by Chromium. Needs `chromium`, or its path in CHROMIUM. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type xterm from '@xterm/headless'
import { cellsToHtml, PAGE_SIZE } from './page.ts'

const LARGEST = 60_000

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run']

export function takePicture(terminal: xterm.Terminal, picture: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'covey-pictures-'))
  try {
    const page = join(folder, 'page.html')
    writeFileSync(page, cellsToHtml(terminal))
    mkdirSync(dirname(picture), { recursive: true })
    const size = PAGE_SIZE(terminal.cols, terminal.rows)
    const places = [`--user-data-dir=${folder}`, `--window-size=${size}`, `--screenshot=${picture}`]
    execFileSync(process.env['CHROMIUM'] ?? 'chromium', [...FLAGS, ...places, pathToFileURL(page).href], {
      stdio: 'ignore',
    })
    const bytes = statSync(picture).size
    if (bytes > LARGEST) throw new Error(`${picture} has ${bytes} bytes, more than ${LARGEST}`)
    console.log(`${picture} ${bytes}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
