/**
 * The tokenizer of the fake servers. Control tokens are tokens of their own only where special text is parsed; the
 * others that templates build on always are, as in llama.cpp. All else is cut into pieces of four characters.
 */
const CONTROL = ['<|im_start|>', '<|im_end|>', '<|endoftext|>']
const USER_DEFINED = ['<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>']

const texts: string[] = [...CONTROL, ...USER_DEFINED]
const ids = new Map(texts.map((text, id) => [text, id]))

export function tokenize(text: string, special: boolean): number[] {
  const marks = special ? [...CONTROL, ...USER_DEFINED] : USER_DEFINED
  const pattern = new RegExp(`(${marks.map((mark) => mark.replaceAll('|', '\\|')).join('|')})`)
  return text
    .split(pattern)
    .flatMap((piece, index) => (index % 2 === 1 ? [requireId(piece)] : pieces(piece).map(plainId)))
}

export const isControl = (id: number): boolean => id < CONTROL.length

export const detokenize = (tokens: readonly number[]): string =>
  tokens.map((id) => (texts[id] ?? '').replace(/^plain:/, '')).join('')

const pieces = (text: string): string[] => text.match(/[\s\S]{1,4}/g) ?? []

/** Plain text that spells a control token is still no control token. */
const plainId = (text: string): number => intern(`plain:${text}`)

function intern(text: string): number {
  const known = ids.get(text)
  if (known !== undefined) return known
  ids.set(text, texts.push(text) - 1)
  return texts.length - 1
}

const requireId = (text: string): number => ids.get(text) ?? 0
