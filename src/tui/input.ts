/**
 * The box that is typed into: the library's editor with what a prompt needs around it. A long paste is one folded block,
 * every key that a terminal may send for "new line" makes one, and undo has a key people know.
 */
import {
  type AutocompleteProvider,
  CURSOR_MARKER,
  Editor,
  getKeybindings,
  type TUI,
} from '@mariozechner/pi-tui'
import { editorTheme } from './component-themes.ts'
import { dim } from './theme.ts'

/** Lines of the screen. */
export type Drawn = { readonly lines: readonly string[] }

/** What the editor needs of a screen. */
export type Canvas = { readonly rows: number; redraw(): void }

export class InputBox {
  readonly #editor: Editor
  onSubmit: (text: string) => void = () => {}

  constructor(canvas: Canvas, completion?: AutocompleteProvider) {
    getKeybindings().setUserBindings({
      'tui.editor.undo': ['ctrl+-', 'ctrl+_', 'ctrl+x'],
      'tui.input.newLine': ['shift+enter', 'alt+enter', 'ctrl+j'],
    })
    const screen = {
      requestRender: () => canvas.redraw(),
      terminal: {
        get rows() {
          return canvas.rows
        },
      },
    }
    // The editor asks its screen for these two things and nothing else.
    this.#editor = new Editor(screen as unknown as TUI, editorTheme, { autocompleteMaxVisible: 6 })
    this.#editor.focused = true
    this.#editor.onSubmit = (text) => this.onSubmit(text)
    if (completion) this.#editor.setAutocompleteProvider(completion)
  }

  /** With every folded paste written out. */
  get text(): string {
    return this.#editor.getExpandedText()
  }

  get isEmpty(): boolean {
    return this.#editor.getText() === ''
  }

  get isCompleting(): boolean {
    return this.#editor.isShowingAutocomplete()
  }

  setText(text: string): void {
    this.#editor.setText(typable(text))
  }

  remember(prompt: string): void {
    this.#editor.addToHistory(prompt)
  }

  type(data: string): void {
    this.#editor.handleInput(data === BACKSPACE ? data : typable(data))
  }

  draw(width: number): Drawn {
    return { lines: this.#editor.render(width).map((line) => drawn(line.replace(CURSOR_MARKER, ''))) }
  }
}

const BACKSPACE = '\u007F'

/** What is pasted or comes from a file is shown as it is typed: without what a terminal obeys or what hides what a line says. */
const typable = (text: string): string => text.replaceAll(OBEYED, '')

const OBEYED = /[\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g

const drawn = (line: string): string => (line.startsWith('─') ? dim(line) : unfold(line))

/** The editor's own mark says what it is for the editor. */
const unfold = (line: string): string =>
  line
    .replace(/\[paste #\d+ (?:\+(\d+) lines|(\d+) chars)\]/g, (_, lines?: string, characters?: string) =>
      lines === undefined ? `[pasted ${characters} characters]` : `[pasted ${lines} lines]`,
    )
    // In a narrow box it goes on in the next line.
    .replace(/\[paste #\d+ \+?(\d+)(?=\s*$)/, '[pasted $1')
