/** A list to choose from, with a search line above it. Enter takes, Esc leaves. */
import { fuzzyFilter, Input, matchesKey, SelectList, type SelectItem } from '@mariozechner/pi-tui'
import { selectTheme } from './component-themes.ts'
import { bold, dim } from './theme.ts'
import { fit, oneLine } from './text.ts'
import type { Drawn } from './input.ts'

export type PickerParts = {
  readonly title: string
  readonly items: readonly SelectItem[]
  pick(value: string): void
  leave(): void
}

const VISIBLE = 8

export class Picker {
  readonly #parts: PickerParts
  readonly #search = new Input()
  #list: SelectList
  #rows = VISIBLE

  constructor(parts: PickerParts) {
    this.#parts = parts
    this.#search.focused = true
    this.#list = this.#listOf('')
  }

  type(data: string): void {
    if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) return this.#parts.leave()
    if (matchesKey(data, 'enter')) {
      const item = this.#list.getSelectedItem()
      return item ? this.#parts.pick(item.value) : undefined
    }
    if (['up', 'down', 'pageUp', 'pageDown'].some((key) => matchesKey(data, key as 'up')))
      return this.#list.handleInput(data)
    this.#search.handleInput(data)
    this.#list = this.#listOf(this.#search.getValue())
  }

  draw(width: number, rows: number): Drawn {
    const visible = Math.max(2, Math.min(VISIBLE, rows - 6))
    if (visible !== this.#rows) {
      this.#rows = visible
      this.#list = this.#listOf(this.#search.getValue())
    }
    const search = this.#search.render(width).map((line) => line.replaceAll('\u001B_pi:c\u0007', ''))
    const lines = [
      bold(oneLine(this.#parts.title)),
      ...search,
      ...this.#list.render(width),
      dim('↑↓ choose · Enter takes · Esc leaves'),
    ]
    return { lines: lines.map((line) => fit(line, width)) }
  }

  #listOf(query: string): SelectList {
    const items = [...this.#parts.items]
    const near =
      query === ''
        ? items
        : fuzzyFilter(items, query, ({ label, description = '' }) => `${label} ${description}`)
    return new SelectList(near, this.#rows, selectTheme, {
      minPrimaryColumnWidth: 12,
      maxPrimaryColumnWidth: 48,
    })
  }
}
