/** The hunks of a unified diff as lines with their numbers, and those as pairs of before and after. Pure. */

export type DiffLine = {
  readonly kind: 'hunk' | 'same' | 'add' | 'remove'
  readonly text: string
  readonly before?: number
  readonly after?: number
}

export function toLines(text: string): readonly DiffLine[] {
  if (text === '') return []
  let before = 1
  let after = 1
  return text.split('\n').map((line): DiffLine => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line)
    if (hunk) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      return { kind: 'hunk', text: line }
    }
    if (line.startsWith('+')) return { kind: 'add', text: line.slice(1), after: after++ }
    if (line.startsWith('-')) return { kind: 'remove', text: line.slice(1), before: before++ }
    if (line.startsWith('\\')) return { kind: 'hunk', text: line }
    return { kind: 'same', text: line.slice(1), before: before++, after: after++ }
  })
}

export type DiffRow = { readonly left?: DiffLine; readonly right?: DiffLine }

/** Lines that were replaced stand beside what replaced them. */
export function toRows(lines: readonly DiffLine[]): readonly DiffRow[] {
  const rows: DiffRow[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      const left = removed[index]
      const right = added[index]
      rows.push({ ...(left && { left }), ...(right && { right }) })
    }
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'remove') removed.push(line)
    else if (line.kind === 'add') added.push(line)
    else {
      flush()
      rows.push({ left: line, right: line })
    }
  }
  flush()
  return rows
}
