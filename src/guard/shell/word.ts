/**
 * One word of a command as the program would get it. Every piece is checked against what it may contain, so that a
 * mistake of the grammar cannot pass as plain text: what is not understood is `dynamic`, decided only when it runs.
 */
import type { Node } from 'web-tree-sitter'

export type Word = {
  /** What the program gets; of a dynamic word, the pieces that are known. */
  readonly text: string
  readonly dynamic: boolean
  /** Written without quotes, escapes and wildcards. */
  readonly plain: boolean
  /** Begins with a wildcard: it may become any file name, also one that looks like an option. */
  readonly loose: boolean
  /** Holds a wildcard: it may become several words, and any text that fits, line breaks included. */
  readonly glob: boolean
  /** The text with `1` for everything that is decided only when it runs. A guess, good for no promise. */
  readonly filled: string
  /** Dynamic, but one word whatever it becomes: it is quoted. */
  readonly isOne?: true
}

export const literal = (text: string): Word => ({ ...quoted(text), plain: true })

export function readWord(node: Node): Word {
  if (node.type === 'concatenation') return join(node)
  const read = readers[node.type]
  const word = read ? read(node.text) : opaque('')
  return word.dynamic ? { ...word, filled: fill(node) } : word
}

const opaque = (text: string): Word => ({ ...quoted(text), dynamic: true })

/** `1` for an unknown value: a line number, a name, a part of a pattern. Two folders keep their names. */
function valueOf({ text }: Node): string {
  const name = /^\$\{?(HOME|PWD)\}?$/.exec(text)?.[1]
  return name === undefined ? '1' : `$${name}`
}

function fill(node: Node): string {
  if (EXPANSIONS.has(node.type)) return valueOf(node)
  if (node.type !== 'string') return node.type === 'raw_string' ? node.text.slice(1, -1) : node.text
  let end = node.startIndex + 1
  let text = ''
  for (const child of node.namedChildren) {
    if (!child || !EXPANSIONS.has(child.type)) continue
    text += node.text.slice(end - node.startIndex, child.startIndex - node.startIndex) + valueOf(child)
    end = child.endIndex
  }
  return unescape(text + node.text.slice(end - node.startIndex, -1))
}

const EXPANSIONS = new Set([
  'simple_expansion',
  'expansion',
  'command_substitution',
  'arithmetic_expansion',
  'process_substitution',
])

const unescape = (text: string): string => text.replaceAll(/\\(["\\$`])/g, '$1')

function join(node: Node): Word {
  const pieces = node.children.flatMap((child) => (child ? [child] : []))
  const isWhole = pieces.every(
    (piece, index) => piece.startIndex === (pieces[index - 1]?.endIndex ?? node.startIndex),
  )
  const words = pieces.map(readWord)
  return {
    text: words.map(({ text }) => text).join(''),
    dynamic: !isWhole || words.some(({ dynamic }) => dynamic),
    plain: false,
    loose: words[0]?.loose ?? false,
    glob: words.some(({ glob }) => glob),
    filled: words.map(({ filled }) => filled).join(''),
  }
}

const readers: Readonly<Record<string, (text: string) => Word>> = {
  word: readBare,
  number: readBare,
  raw_string: (text) => (/^'[^']*'$/.test(text) ? quoted(text.slice(1, -1)) : opaque(text)),
  string: readDoubleQuoted,
  // Decoded only to be compared with what is denied; a harmless command is not written like that.
  ansi_c_string: (text) => opaque(decodeAnsi(text.slice(2, -1))),
}

const quoted = (text: string): Word => ({
  text,
  dynamic: false,
  plain: false,
  loose: false,
  glob: false,
  filled: text,
})

/** No quotes, no expansion, no operator, no brace expansion, nothing invisible. */
const BARE = /^(?:[^\s\p{C}\p{Z}"'`$\\;|&<>(){}#]|\\[!-~ ]|(?<!^)#|^\{\}$)+$/u

function readBare(text: string): Word {
  const decoded = text.replaceAll(/\\([^\n])/g, '$1')
  if (!BARE.test(text)) return opaque(decoded.replaceAll(/[{}$]/g, ''))
  return {
    ...quoted(decoded),
    plain: !/[\\*?[\]]/.test(text),
    loose: /^[*?[]/.test(text),
    glob: /[*?[]/.test(text.replaceAll(/\\./g, '')),
  }
}

/** A `$` before a blank, a bracket or the end is only a `$`. */
const DOUBLE_QUOTED = /^"(?:[^"\\$`]|\\[^\n]|\$(?=["\s|)/.,:;]))*"$/

function readDoubleQuoted(text: string): Word {
  const inner = unescape(text.slice(1, -1))
  if (DOUBLE_QUOTED.test(text)) return quoted(inner)
  const word = opaque(inner.replace(/[$`].*$/s, ''))
  return /[@*]/.test(text) ? word : { ...word, isOne: true }
}

const decodeAnsi = (text: string): string =>
  text
    .replaceAll(/\\x([0-9a-f]{1,2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/\\u([0-9a-f]{1,4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/\\([0-7]{1,3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replaceAll(/\\(.)/gs, '$1')
