/** Colours of the sixteen every terminal has, so that they suit a light and a dark background alike. */
import type { EditorTheme, MarkdownTheme, SelectListTheme } from '@mariozechner/pi-tui'
import { highlight } from './highlight.ts'

const style =
  (on: number, off: number) =>
  (text: string): string =>
    text === '' ? '' : `\u001B[${on}m${text}\u001B[${off}m`

export const bold = style(1, 22)
export const dim = style(2, 22)
export const italic = style(3, 23)
const underline = style(4, 24)
export const red = style(31, 39)
export const green = style(32, 39)
export const yellow = style(33, 39)
export const blue = style(34, 39)
export const magenta = style(35, 39)
export const cyan = style(36, 39)

export const selectTheme: SelectListTheme = {
  selectedPrefix: cyan,
  selectedText: cyan,
  description: dim,
  scrollInfo: dim,
  noMatch: dim,
}

/** The editor colours its border letter by letter; `input.ts` dims the whole line instead. */
export const editorTheme: EditorTheme = { borderColor: (text) => text, selectList: selectTheme }

export const markdownTheme: MarkdownTheme = {
  heading: (text) => bold(cyan(text)),
  link: (text) => blue(underline(text)),
  linkUrl: dim,
  code: cyan,
  codeBlock: (text) => text,
  codeBlockBorder: dim,
  quote: italic,
  quoteBorder: dim,
  hr: dim,
  listBullet: cyan,
  bold,
  italic,
  strikethrough: style(9, 29),
  underline,
  highlightCode: highlight,
}
