/** The lines of a file with their words, and what kind of line each is. Pure. */
import type { ListedLine } from '../weights/format.ts'
import { fold, SECTION } from '../project/lines.ts'
import { wordsIn } from '../opinion/tokens.ts'

export type FileLine = ListedLine & {
  readonly words: ReadonlySet<string>
  readonly section?: FileLine
  readonly above?: FileLine
  readonly isLast: boolean
  readonly isFirst: boolean
}

/** A longer one is no setting and no entry. */
const LONGEST = 200

export function linesOf(path: string, text: string): FileLine[] {
  let section: FileLine | undefined
  let above: FileLine | undefined
  const rows = text.split('\n')
  const last = rows.findLastIndex((row) => row.trim() !== '')
  const first = rows.findIndex((row) => row.trim() !== '')
  return rows.flatMap((row, at) => {
    const line = row.trim()
    if (line === '' || line.length > LONGEST) return []
    const isOpener = SECTION.test(line)
    const found: FileLine = {
      path,
      number: at + 1,
      text: line,
      words: new Set(lineWords(line)),
      isFirst: at === first,
      isLast: at === last,
      ...(section && !isOpener && { section }),
      ...(above && { above }),
    }
    if (isOpener) section = found
    above = found
    return [found]
  })
}

export const lineWords = (text: string): string[] =>
  wordsIn(text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')).map(fold)

export function kindOf(text: string): string {
  if (/\[[ x]\]/i.test(text)) return 'box'
  if (/^(?:#+ |=+|\[[^\]]+\]$|<!--)/.test(text)) return 'heading'
  if (/^(?:#|\/\/|--|;)/.test(text)) return 'comment'
  if (/^[-*•] /.test(text)) return 'bullet'
  if (/^\d+[.)] /.test(text)) return 'item'
  if (/^[^,]*(?:,[^,]*){2,}$/.test(text)) return 'row'
  if (/[\p{L}\p{N}_]["']?\s*(?:=|:)\s*["']?\S/u.test(text)) return 'setting'
  return 'other'
}
