/**
 * What can be saved of a write_file call that the output limit cut off: its path and the complete lines of its content.
 * Reads JSON that just stops, in one pass. Anything it does not understand saves nothing: half a file under a guessed name
 * would be worse than none.
 */
export function salvageWrite(input: string): SavedWrite | undefined {
  const values = readValues(input)
  const path = PATH_NAMES.map((name) => values.get(name)).find((value) => value?.isString)
  const content = values.get('content')
  if (!path?.isClosed || path.text === '' || !content?.isString) return undefined
  const kept = content.isClosed ? content.text : content.text.slice(0, content.text.lastIndexOf('\n') + 1)
  if (kept === '') return undefined
  return { path: path.text, content: kept, ...(values.get('append')?.text === 'true' && { append: true }) }
}

type SavedWrite = {
  readonly path: string
  readonly content: string
  /** Only where it was read: it may have stood behind the cut. */
  readonly append?: true
}

const PATH_NAMES = ['path', 'file_path', 'filename', 'file']

type JsonString = { readonly text: string; readonly isClosed: boolean; readonly end: number }

/** Of a string what it says, of anything else how it is written. */
type JsonValue = JsonString & { readonly isString: boolean }

/** The values of the outermost object, by key, as far as the text goes. */
function readValues(input: string): ReadonlyMap<string, JsonValue> {
  const values = new Map<string, JsonValue>()
  let index = skipBlanks(input, 0)
  if (input[index] !== '{') return values
  do {
    const member = readMember(input, skipBlanks(input, index + 1))
    if (!member) break
    values.set(member.key, member.value)
    index = skipBlanks(input, member.value.end)
  } while (input[index] === ',')
  return values
}

type Member = { readonly key: string; readonly value: JsonValue }

function readMember(input: string, start: number): Member | undefined {
  if (input[start] !== '"') return undefined
  const key = readString(input, start)
  const colon = skipBlanks(input, key.end)
  if (!key.isClosed || input[colon] !== ':') return undefined
  return { key: key.text, value: readValue(input, skipBlanks(input, colon + 1)) }
}

function readValue(input: string, from: number): JsonValue {
  if (input[from] === '"') return { ...readString(input, from), isString: true }
  const end = skipValue(input, from)
  return { text: input.slice(from, end).trim(), isClosed: end < input.length, end, isString: false }
}

/** From the opening quote on. Raw line ends are taken as they are: models write them. */
function readString(input: string, start: number): JsonString {
  const parts: string[] = []
  let index = start + 1
  while (index < input.length && input[index] !== '"') {
    const escape = input[index] === '\\' ? readEscape(input, index) : undefined
    if (escape) {
      if (escape.end > input.length) break
      parts.push(escape.text)
      index = escape.end
      continue
    }
    const end = plainEnd(input, index)
    parts.push(input.slice(index, end))
    index = end
  }
  return { text: parts.join(''), isClosed: input[index] === '"', end: index + 1 }
}

const SPECIAL = /["\\]/g

function plainEnd(input: string, from: number): number {
  SPECIAL.lastIndex = from
  return SPECIAL.exec(input)?.index ?? input.length
}

const escapes: { readonly [letter: string]: string } = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

function readEscape(input: string, at: number): { readonly text: string; readonly end: number } {
  const letter = input.charAt(at + 1)
  if (letter !== 'u') return { text: escapes[letter] ?? letter, end: at + 2 }
  const code = Number.parseInt(input.slice(at + 2, at + 6), 16)
  return Number.isNaN(code) ? { text: letter, end: at + 2 } : { text: String.fromCharCode(code), end: at + 6 }
}

/** Past a number, word, list or object; brackets inside strings do not count. */
function skipValue(input: string, start: number): number {
  let depth = 0
  for (let index = start; index < input.length; index++) {
    const character = input.charAt(index)
    if (character === '"') index = readString(input, index).end - 1
    else if ('{['.includes(character)) depth++
    else if (depth === 0 && ',}]'.includes(character)) return index
    else if ('}]'.includes(character)) depth--
  }
  return input.length
}

function skipBlanks(input: string, start: number): number {
  let index = start
  while (index < input.length && /\s/.test(input.charAt(index))) index++
  return index
}
