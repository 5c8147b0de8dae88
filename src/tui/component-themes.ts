/** How the library's components are coloured. */
import type { EditorTheme, MarkdownTheme, SelectListTheme } from '@mariozechner/pi-tui'
import { highlight } from './highlight.ts'
import { blue, bold, cyan, dim, italic, strikethrough, underline } from './theme.ts'

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
  strikethrough,
  underline,
  highlightCode: highlight,
}
