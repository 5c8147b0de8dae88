/** The cells of a screen as a page: a line of spans for each row, in the sixteen colours of a usual dark terminal. */
import type xterm from '@xterm/headless'

const CELL = [8.43, 18] as const
const MARGIN = 14

export const PAGE_SIZE = (columns: number, rows: number): string =>
  `${Math.ceil(columns * CELL[0]) + 2 * MARGIN},${rows * CELL[1] + 2 * MARGIN}`

const PALETTE =
  '#1d1f21 #d75f5f #87af5f #d7af5f #6f9fd8 #b58ad8 #5fb3b3 #c5c8c6 #707880 #ff7c7c #a8d17a #f0c674 #8cbdf5 #cfa6f0 #7fd4d4 #ffffff'.split(
    ' ',
  )
const [BACKGROUND = '', , , , , , , FOREGROUND = ''] = PALETTE

export function cellsToHtml(terminal: InstanceType<typeof xterm.Terminal>): string {
  const { active } = terminal.buffer
  const rows = Array.from({ length: terminal.rows }, (_, row) =>
    rowToHtml(active.getLine(active.baseY + row)),
  )
  const style = `html{background:${BACKGROUND}}body{margin:0;padding:${MARGIN}px;background:${BACKGROUND};color:${FOREGROUND};font:14px/${CELL[1]}px 'DejaVu Sans Mono',monospace;white-space:pre}`
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><body>${rows.join('\n')}</body>`
}

type Line = NonNullable<ReturnType<InstanceType<typeof xterm.Terminal>['buffer']['active']['getLine']>>
type Cell = NonNullable<ReturnType<Line['getCell']>>

function rowToHtml(line: Line | undefined): string {
  const spans: { style: string; text: string }[] = []
  for (let at = 0; at < (line?.length ?? 0); at++) {
    const cell = line?.getCell(at)
    if (!cell || cell.getWidth() === 0) continue
    const style = styleOf(cell)
    const text = cell.getChars() || ' '
    const last = spans.at(-1)
    if (last?.style === style) last.text += text
    else spans.push({ style, text })
  }
  return spans.map(({ style, text }) => `<span style="${style}">${escaped(text)}</span>`).join('')
}

function styleOf(cell: Cell): string {
  const colour = cell.isFgPalette() ? (PALETTE[cell.getFgColor()] ?? FOREGROUND) : FOREGROUND
  return [
    cell.isInverse() ? `background:${colour};color:${BACKGROUND}` : `color:${colour}`,
    ...(cell.isBold() ? ['font-weight:bold'] : []),
    ...(cell.isItalic() ? ['font-style:italic'] : []),
    ...(cell.isUnderline() ? ['text-decoration:underline'] : []),
    ...(cell.isDim() ? ['opacity:.6'] : []),
  ].join(';')
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
