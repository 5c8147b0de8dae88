/** What can be completed: a command at the start of the line, a path after `@`. */

export type Word = {
  readonly kind: 'command' | 'file'
  readonly from: number
  readonly to: number
  readonly query: string
}

/** Pure: the word under the cursor that can be completed. */
export function wordAt(text: string, cursor: number): Word | undefined {
  const before = text.slice(0, cursor)
  const command = /^\/([\w-]*)$/.exec(before)
  if (command) return { kind: 'command', from: 0, to: cursor, query: command[1] ?? '' }
  const file = /(?:^|\s)@(\S*)$/.exec(before)
  const query = file?.[1]
  return query === undefined
    ? undefined
    : { kind: 'file', from: cursor - query.length - 1, to: cursor, query }
}
