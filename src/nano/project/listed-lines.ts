/**
 * A change of part of a listed line, as an edit of the file: nano points at the line by its number, the program knows what it
 * says. Pure, but for `makeUnique`, which reads the file.
 */
import type { ListedLine } from '../weights/format.ts'
import type { ProjectFiles } from './sources.ts'
import type { NanoCall } from '../steps/run.ts'
import { wordsOf } from '../request/spans.ts'
import { CHANGE_LINE } from '../weights/tools.ts'

/** The same call where it is another one. */
export function toEdit(call: NanoCall, lines: readonly ListedLine[], request: string): NanoCall {
  if (call.name !== CHANGE_LINE) return call
  const { line: number, old: chosen, new: replacement } = call.input
  const line = lines[Number(number) - 1]
  if (!line || typeof chosen !== 'string' || typeof replacement !== 'string') return call
  const old = spelledOld(chosen, replacement, request) ?? chosen
  // Where a word stands twice in a line, the last is its value: `port: port 3000`.
  const at = line.text.lastIndexOf(old)
  const written = like(old, request.includes(old) ? old : '', replacement)
  const rest = line.text.slice(at + old.length)
  const after = line.text.slice(0, at) + written + (saysItAnew(old, written, rest) ? '' : rest)
  return {
    name: 'edit_file',
    input: { path: line.path, old: line.text, new: BARE.test(after) ? '' : after.trim() },
  }
}

/** "Make it order for friday", where the line is `order for thursday`: the rest of the line is said anew, too. */
function saysItAnew(old: string, replacement: string, rest: string): boolean {
  const isLonger = replacement.toLowerCase().startsWith(`${old.toLowerCase()} `)
  const count = (text: string): number => wordsOf(text).length
  return isLonger && count(rest) > 0 && count(replacement) - count(old) === count(rest)
}

/** What is left of a comment or a list item whose text is removed. */
const BARE = /^\s*(?:#+|\/\/+|--+|;+|[-*•]|\d+[.)]|\[[ x]\]|<!--\s*-->|\/\*\s*\*\/)*\s*$/

/** "acess should be access": what stands before the words is the old text, where more of the line was chosen. */
function spelledOld(chosen: string, replacement: string, request: string): string | undefined {
  if (replacement === '' || request.includes(chosen)) return undefined
  const said = /\S.*?(?=\s+(?:(?:should|must|has to|needs to) (?:be|read|say|become)|->|→|=>)\s)/.exec(
    request,
  )
  const after =
    said &&
    request
      .slice(said.index + said[0].length)
      .replace(/^\s+(?:\w+ )*?(?:be|read|say|become|->|→|=>)\s+["'“‘`]?/, '')
  if (!said || !after?.startsWith(replacement)) return undefined
  const words = said[0].split(/\s+/)
  const tails = words.map((_, index) =>
    words
      .slice(index)
      .join(' ')
      .replaceAll(/^["'“‘`]|["'”’`]$/g, ''),
  )
  return tails.find((tail) => tail !== '' && chosen.includes(tail))
}

/** The new text in the letters of what it replaces, where the request spelled that in small letters. */
export function like(found: string, asked: string, replacement: string): string {
  if (found === asked || replacement !== replacement.toLowerCase() || BLANK.test(found)) return replacement
  if (found.length > 1 && found === found.toUpperCase() && found !== found.toLowerCase())
    return replacement.toUpperCase()
  const [first = '', ...rest] = replacement
  return found.slice(0, 1) === found.slice(0, 1).toLowerCase()
    ? replacement
    : first.toUpperCase() + rest.join('')
}

/** To be filled in as it is said. */
const BLANK =
  /^(?:NAME|TITLE|DATE|PLACE|TEAM|CITY|CUSTOMER|CLIENT|AUTHOR|OWNER|EMAIL|PHONE|ADDRESS|AMOUNT|PRICE|NUMBER|TEXT|SUBJECT|TODO|TBD|XXX|EXPIRES)$/

/** Lines around it join the text that is replaced until it is in the file once. A removed line takes its line end along. */
export async function makeUnique(
  call: NanoCall,
  lines: readonly ListedLine[],
  files: ProjectFiles,
): Promise<NanoCall> {
  const { path, old, new: replacement } = call.input
  const line = lines.find((listed) => listed.path === path && listed.text === old)
  if (call.name !== 'edit_file' || !line || typeof old !== 'string' || typeof replacement !== 'string')
    return call
  const text = await files.read(line.path).catch(() => '')
  const all = text.split('\n')
  const index = line.number - 1
  if (all[index]?.trim() !== old) return call
  if (replacement === '') {
    const whole = `${all[index]}\n`
    return isOnce(text, whole) ? { ...call, input: { ...call.input, old: whole, new: '' } } : call
  }
  for (let before = 0; before <= Math.min(index, MOST_LINES); before++) {
    const context = all.slice(index - before, index).map((one) => `${one}\n`)
    const prefix = context.join('') + (before > 0 ? indentOf(all[index] ?? '') : '')
    if (isOnce(text, prefix + old))
      return { ...call, input: { ...call.input, old: prefix + old, new: prefix + replacement } }
  }
  return call
}

const MOST_LINES = 6

const indentOf = (line: string): string => line.slice(0, line.length - line.trimStart().length)

const isOnce = (text: string, part: string): boolean =>
  text.includes(part) && text.indexOf(part) === text.lastIndexOf(part)
