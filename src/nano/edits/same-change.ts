/** The change of one line again in other files: where they have the text that went, or the same name with another value. Pure. */
import type { EditChoice } from './ranking.ts'

export type Changed = Pick<EditChoice, 'path' | 'number' | 'before' | 'after'>

/** `text`: the file has what went. `key`: it has the name that was set, with another value. `line`: the whole line. */
export type SameChange = Changed & { readonly by: 'text' | 'key' | 'line' }

/** One for each file where it is clear which line is meant. */
export function sameChanges(change: Changed, texts: ReadonlyMap<string, string>): SameChange[] {
  return [...texts].flatMap(([path, text]) => {
    if (path === change.path) return []
    const found = sameIn(change, text)
    return found ? [{ path, ...found }] : []
  })
}

function sameIn(change: Changed, text: string): Omit<SameChange, 'path'> | undefined {
  const lines = text.split('\n')
  return change.after === '' ? removedIn(change, lines) : (settingIn(change, lines) ?? pieceIn(change, lines))
}

/** The same line, or the only one that begins alike: an entry of a list with another price. */
function removedIn({ before }: Changed, lines: readonly string[]): Omit<SameChange, 'path'> | undefined {
  const same = onlyLine(lines, (line) => line === before)
  const alike = same ?? onlyLine(lines, (line) => isOneEntry(line, before))
  return alike && { ...alike, after: '', by: same ? 'line' : 'key' }
}

const isOneEntry = (line: string, other: string): boolean => {
  const [one, two] = [entryOf(line), entryOf(other)]
  return one.length > 4 && one === two
}

/** The first two cells of a row, the words of an entry without its numbers. */
const entryOf = (line: string): string =>
  line.includes(',') ? line.split(',').slice(0, 2).join(',') : line.replaceAll(/[\d.,€$£%]+/g, '#')

/** The same name with any value. */
function settingIn(change: Changed, lines: readonly string[]): Omit<SameChange, 'path'> | undefined {
  const [key, value] = settingOf(change.before) ?? []
  const [newKey, newValue] = settingOf(change.after) ?? []
  if (key === undefined || key !== newKey || value === undefined || newValue === undefined) return undefined
  const found = onlyLine(lines, (line) => settingOf(line)?.[0] === key && !line.includes(newValue))
  if (!found) return undefined
  const [, own = ''] = settingOf(found.before) ?? []
  const bareOwn = bareOf(own)
  const at = found.before.lastIndexOf(bareOwn)
  if (bareOwn === '' || at < 0) return undefined
  const after = found.before.slice(0, at) + bareOf(newValue) + found.before.slice(at + bareOwn.length)
  return { ...found, after, by: own === value ? 'text' : 'key' }
}

/** `"port": 3000,` is port and 3000. */
function settingOf(line: string): readonly [string, string] | undefined {
  const [, key, value] =
    /^(?:export |const |let |var |#define )?["']?([\w][\w .-]{0,40}?)["']?(?:\s*[:=]\s*|(?<=^#define .*)\s+)(\S.*)$/.exec(
      line,
    ) ?? []
  return key === undefined || value === undefined ? undefined : [key.toLowerCase(), value]
}

const bareOf = (value: string): string => value.replace(/[,;]$/, '').replaceAll(/^["']|["']$/g, '')

/** What went, without what stayed around it; where it is said in one line of the file only. */
function pieceIn(change: Changed, lines: readonly string[]): Omit<SameChange, 'path'> | undefined {
  const { gone, come } = pieceOf(change)
  if (gone.length < 3 || come === '') return undefined
  const found = onlyLine(lines, (line) => hasWord(line, gone))
  return found && { ...found, after: found.before.replace(gone, () => come), by: 'text' }
}

/** In whole words: `pinecart.example`, not `example`. */
export function pieceOf({ before, after }: Pick<Changed, 'before' | 'after'>): {
  gone: string
  come: string
} {
  const one = before.match(PIECES) ?? []
  const other = after.match(PIECES) ?? []
  let from = 0
  while (from < one.length - 1 && from < other.length - 1 && one[from] === other[from]) from++
  let end = 0
  while (end < Math.min(one.length, other.length) - from - 1 && one.at(-1 - end) === other.at(-1 - end)) end++
  return {
    gone: one
      .slice(from, one.length - end)
      .join('')
      .trim(),
    come: other
      .slice(from, other.length - end)
      .join('')
      .trim(),
  }
}

const PIECES = /[\p{L}\p{N}_]+(?:[-.@/:+][\p{L}\p{N}_]+)*|\s+|[^\s\p{L}\p{N}_]/gu

export const hasWord = (line: string, word: string): boolean => {
  const at = line.indexOf(word)
  return (
    at >= 0 &&
    !/[\p{L}\p{N}]/u.test(line[at - 1] ?? '') &&
    !/[\p{L}\p{N}]/u.test(line[at + word.length] ?? '')
  )
}

function onlyLine(
  lines: readonly string[],
  isIt: (line: string) => boolean,
): { number: number; before: string } | undefined {
  const found = lines.flatMap((line, at) =>
    isIt(line.trim()) ? [{ number: at + 1, before: line.trim() }] : [],
  )
  return found.length === 1 ? found[0] : undefined
}
