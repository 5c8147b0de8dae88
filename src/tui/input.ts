/**
 * The box that is typed into: the library's editor with what a prompt needs around it. A long paste is one folded block,
 * every key that a terminal may send for "new line" makes one, and undo has a key people know.
 */
import {
  type AutocompleteProvider,
  CURSOR_MARKER,
  decodeKittyPrintable,
  Editor,
  getKeybindings,
  type TUI,
} from '@mariozechner/pi-tui'
import { editorTheme } from './component-themes.ts'
import { dim } from './theme.ts'
import { type BoxText, Vim, type VimStep } from './vim.ts'

/** Lines of the screen. */
export type Drawn = { readonly lines: readonly string[] }

/** What the editor needs of a screen. */
export type Canvas = { readonly rows: number; redraw(): void }

export class InputBox {
  readonly #editor: Editor
  #vim: Vim | undefined
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
    this.#editor.onSubmit = (text) => {
      if (this.#vim) this.#vim.mode = 'insert'
      this.onSubmit(text)
    }
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

  insert(text: string): void {
    this.#editor.insertTextAtCursor(typable(text))
  }

  remember(prompt: string): void {
    this.#editor.addToHistory(prompt)
  }

  useKeys(keys: 'standard' | 'vim'): void {
    this.#vim = keys === 'vim' ? (this.#vim ?? new Vim()) : undefined
  }

  /** Of Vim's keys, where these are used. */
  get mode(): string | undefined {
    return this.#vim?.mode
  }

  /** To normal mode; false where there is nothing to leave. */
  leaveInsert(): boolean {
    const step = this.isEmpty ? undefined : this.#vim?.leaveInsert(this.#box())
    if (step) this.#apply(step)
    return step !== undefined
  }

  type(data: string): void {
    const step = this.#vim?.take(decodeKittyPrintable(data) ?? data, this.#box())
    if (step) return this.#apply(step)
    this.#editor.handleInput(data === BACKSPACE ? data : typable(data))
  }

  #box(): BoxText {
    return { lines: this.#editor.getLines(), ...this.#editor.getCursor() }
  }

  /** The editor has no way to set its cursor but its keys. */
  #apply(step: VimStep): void {
    if (step.kind === 'nothing') return
    if (step.kind !== 'text') return this.#editor.handleInput(EDITOR_KEYS[step.kind])
    const text = step.lines.join('\n')
    if (text !== this.#editor.getText()) this.#editor.setText(text)
    for (;;) {
      const { line, col } = this.#editor.getCursor()
      const by = step.line - line || step.col - col
      if (by === 0) return
      this.#editor.handleInput(by < 0 ? EDITOR_KEYS.left : EDITOR_KEYS.right)
      const moved = this.#editor.getCursor()
      const isStuck = moved.line === line && moved.col === col
      // A folded paste is passed in one step.
      if (isStuck || by > 0 !== (step.line - moved.line || step.col - moved.col) > 0) return
    }
  }

  draw(width: number): Drawn {
    return { lines: this.#editor.render(width).map((line) => drawn(line.replace(CURSOR_MARKER, ''))) }
  }
}

const EDITOR_KEYS = {
  undo: '\u001F',
  up: '\u001B[A',
  down: '\u001B[B',
  left: '\u001B[D',
  right: '\u001B[C',
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
