/** Text that is too long for where it goes: head and tail stay, the middle is left out and said so. */
export type Folded = { readonly text: string; readonly omittedLines: number }

/** What was left out: the text before it and the text itself. */
export type Omitted = { readonly before: string; readonly text: string }

/** Two thirds of the room go to the head: the start says what ran, the end says how it went. */
export function foldMiddle(
  text: string,
  maxCharacters: number,
  mark: (omitted: Omitted) => string = countText,
): Folded {
  if (text.length <= maxCharacters) return { text, omittedLines: 0 }
  const head = cutAfterLine(text.slice(0, Math.floor((maxCharacters * 2) / 3)))
  const tail = cutBeforeLine(text.slice(text.length - Math.floor(maxCharacters / 3)))
  const omitted = text.slice(head.length, text.length - tail.length)
  const marker = mark({ before: head, text: omitted })
  return { text: `${head.trimEnd()}\n${marker}\n${tail.trimStart()}`, omittedLines: linesIn(omitted) }
}

const linesIn = (text: string): number => text.split('\n').length - 1

const countText = ({ text }: Omitted): string =>
  `[… ${linesIn(text) > 1 ? `${linesIn(text)} lines` : `${text.length} characters`} left out …]`

/** Whole lines where there are any; one endless line is cut where it must be. */
function cutAfterLine(head: string): string {
  const end = head.lastIndexOf('\n')
  return end > head.length / 2 ? head.slice(0, end + 1) : head
}

function cutBeforeLine(tail: string): string {
  const start = tail.indexOf('\n')
  return start >= 0 && start < tail.length / 2 ? tail.slice(start + 1) : tail
}
