/**
 * Vim's keys for the box, as a function of the text: what a key in normal mode makes of it. The editor stays the library's;
 * `input.ts` hands it the result, one step of its undo each. Insert mode is the editor itself.
 */

export type BoxText = { readonly lines: readonly string[]; readonly line: number; readonly col: number }

/** What is to be done: the box as it should be, or one of the editor's own keys. */
export type VimStep =
  | (BoxText & { readonly kind: 'text' })
  | { readonly kind: 'undo' | 'up' | 'down' | 'nothing' }

type Register = { readonly text: string; readonly isLines: boolean }

export class Vim {
  mode: 'insert' | 'normal' = 'insert'
  #pending = ''
  #register: Register = { text: '', isLines: false }

  /** From insert mode; false in normal mode. */
  leaveInsert({ lines, line, col }: BoxText): VimStep | undefined {
    if (this.mode === 'normal') return undefined
    this.mode = 'normal'
    this.#pending = ''
    return at(lines, line, previous(lines[line] ?? '', col))
  }

  /** Nothing where the key is the editor's. */
  take(key: string, box: BoxText): VimStep | undefined {
    if (this.mode === 'insert' || !/^[\u0020-\u007E]$/.test(key)) return undefined
    const pending = this.#pending
    this.#pending = ''
    if (pending === 'g') return key === 'g' ? at(box.lines, 0, 0) : NOTHING
    if (pending !== '') return this.#operate(pending, key, box)
    if (key === 'd' || key === 'c' || key === 'g') {
      this.#pending = key
      return NOTHING
    }
    return this.#insert(key, box) ?? this.#change(key, box) ?? this.#move(key, box)
  }

  #insert(key: string, { lines, line, col }: BoxText): VimStep | undefined {
    const text = lines[line] ?? ''
    const columns: Readonly<Record<string, number>> = {
      i: col,
      a: next(text, col),
      I: text.length - text.trimStart().length,
      A: text.length,
    }
    const column = columns[key]
    const below = key === 'o' ? 1 : 0
    const isNewLine = key === 'o' || key === 'O'
    if (column === undefined && !isNewLine) return undefined
    this.mode = 'insert'
    return isNewLine
      ? at(lines.toSpliced(line + below, 0, ''), line + below, 0)
      : at(lines, line, column ?? col)
  }

  #change(key: string, box: BoxText): VimStep | undefined {
    const { lines, line, col } = box
    const text = lines[line] ?? ''
    if (key === 'u') return { kind: 'undo' }
    if (key === 'x') return this.#cut(box, { from: col, to: next(text, col) })
    if (key === 'D') return this.#cut(box, { from: col, to: text.length })
    if (key === 'C') return this.#operate('c', '$', box)
    if (key !== 'p' && key !== 'P') return undefined
    const { text: kept, isLines } = this.#register
    if (isLines) {
      const place = key === 'p' ? line + 1 : line
      return at(lines.toSpliced(place, 0, ...kept.split('\n')), place, 0)
    }
    const from = key === 'p' ? next(text, col) : col
    const joined = text.slice(0, from) + kept + text.slice(from)
    return settled(lines.with(line, joined), line, from + kept.length - 1)
  }

  /** `dd`, `cc`, and both with a motion. */
  #operate(operator: string, given: string, box: BoxText): VimStep {
    const { lines, line, col } = box
    // As in Vim: the space behind a word stays when the word is changed.
    const key = operator === 'c' && given === 'w' ? 'e' : given
    if (operator === 'c') this.mode = 'insert'
    if (key === operator) return this.#wholeLine(operator, box)
    const text = lines[line] ?? ''
    const target = key === '$' ? { line, col: text.length } : motion(key, box)
    if (!target || !/^[wbe0$hl]$/.test(key)) {
      this.mode = 'normal'
      return NOTHING
    }
    // Within the line: what is deleted is what is seen.
    const end = target.line > line ? text.length : target.line < line ? 0 : target.col
    const isWhole = key === 'e' && end < text.length
    const [from, to] = end < col ? [end, col] : [col, isWhole ? next(text, end) : end]
    return this.#cut(box, { from, to })
  }

  #wholeLine(operator: string, { lines, line }: BoxText): VimStep {
    this.#register = { text: lines[line] ?? '', isLines: true }
    if (operator === 'c' || lines.length === 1) return at(lines.with(line, ''), line, 0)
    return at(lines.toSpliced(line, 1), Math.min(line, lines.length - 2), 0)
  }

  #cut({ lines, line }: BoxText, { from, to }: { readonly from: number; readonly to: number }): VimStep {
    const text = lines[line] ?? ''
    if (from < to) this.#register = { text: text.slice(from, to), isLines: false }
    const rest = lines.with(line, text.slice(0, from) + text.slice(to))
    return this.mode === 'insert' ? at(rest, line, from) : settled(rest, line, from)
  }

  #move(key: string, box: BoxText): VimStep {
    // Beyond the text they are the arrows: earlier messages.
    if (key === 'k' && box.line === 0) return { kind: 'up' }
    if (key === 'j' && box.line === box.lines.length - 1) return { kind: 'down' }
    const target = motion(key, box)
    return target ? settled(box.lines, target.line, target.col) : NOTHING
  }
}

const NOTHING: VimStep = { kind: 'nothing' }

const at = (lines: readonly string[], line: number, col: number): VimStep => ({
  kind: 'text',
  lines,
  line,
  col,
})

/** In normal mode the cursor is on a character, not behind the last one. */
function settled(lines: readonly string[], line: number, col: number): VimStep {
  const text = lines[line] ?? ''
  return at(lines, line, col < text.length ? Math.max(0, col) : previous(text, text.length))
}

type Place = { readonly line: number; readonly col: number }

function motion(key: string, box: BoxText): Place | undefined {
  const { lines, line, col } = box
  const text = lines[line] ?? ''
  const down = { line: Math.min(line + 1, lines.length - 1), col }
  const places: Readonly<Record<string, () => Place>> = {
    h: () => ({ line, col: previous(text, col) }),
    l: () => ({ line, col: next(text, col) }),
    j: () => down,
    k: () => ({ line: Math.max(0, line - 1), col }),
    '0': () => ({ line, col: 0 }),
    $: () => ({ line, col: text.length }),
    G: () => ({ line: lines.length - 1, col: 0 }),
    w: () => wordsOf(box).find((place) => isAfter(place.start, box))?.start ?? { line, col: text.length },
    e: () => wordsOf(box).find((place) => isAfter(place.end, box))?.end ?? { line, col: text.length },
    b: () => wordsOf(box).findLast((place) => isAfter(box, place.start))?.start ?? { line: 0, col: 0 },
  }
  return places[key]?.()
}

const isAfter = (one: Place, other: Place): boolean =>
  one.line > other.line || (one.line === other.line && one.col > other.col)

/** Words as Vim has them: letters and digits, or signs. `end` is the last character. */
const wordsOf = ({ lines }: BoxText): readonly { readonly start: Place; readonly end: Place }[] =>
  lines.flatMap((text, line) =>
    Array.from(text.matchAll(/[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]+/gu), ({ index, 0: word }) => ({
      start: { line, col: index },
      end: { line, col: previous(text, index + word.length) },
    })),
  )

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Where characters begin; a folded paste is one. */
function starts(text: string): readonly number[] {
  const pastes = Array.from(
    text.matchAll(/\[paste #\d+ (?:\+\d+ lines|\d+ chars)\]/g),
    ({ index, 0: mark }) => ({
      from: index,
      to: index + mark.length,
    }),
  )
  return Array.from(graphemes.segment(text), ({ index }) => index).filter(
    (index) => !pastes.some(({ from, to }) => index > from && index < to),
  )
}

const next = (text: string, col: number): number => starts(text).find((start) => start > col) ?? text.length

const previous = (text: string, col: number): number => starts(text).findLast((start) => start < col) ?? 0
