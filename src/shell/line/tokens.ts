/** A line as words, each with what its shape says. No parser of a shell: only what tells a command from a sentence. */
export type Token = {
  /** Lower case, without quotes, punctuation at its end or an apostrophe. */
  readonly word: string
  readonly raw: string
  /** An option, an operator, a substitution: only a shell writes this. */
  readonly isHard: boolean
  /** A path, a number, an assignment, a variable, a pattern: an argument, though a sentence may name it. */
  readonly isArgument: boolean
  readonly isQuoted: boolean
  /** `don't`, `it's`: an apostrophe within a word. */
  readonly isContraction: boolean
  /** Written in letters of a script that programs do not use. */
  readonly isForeign: boolean
}

/** Operators of a shell, apart from those of sentences ("a/b", "this & that", "x; why"). */
const OPERATOR = /^(?:\|\|?&?|&&|\d*>>?&?\d*|\d*<{1,3}-?|;;?|&|\|&|&>>?)$/
const GLUED = /[^\s\\]\|[^\s]|\w;$|\$\(|\$\{|<<|>>|\d>&\d|^>[\w/&.]|^<[\w/.(]|\)$/
const OPTION = /^(?:--?[A-Za-z0-9][\w-]*(?:[=:].*)?|--|-)$/
const ARGUMENT = /^[~.]?\/|^~|^\.{1,2}$|[/=@_*~{}[\]$\\]|\w:\w|^\.\w|\.\w{1,6}$|^[+%:]|\d/

export function toTokens(text: string): readonly Token[] {
  const parts = text.match(/(?:"(?:[^"\\]|\\.)*"|(?<![\p{L}\p{N}])'[^']*'|\\.|[^\s"\\]|"|\\)+/gu) ?? []
  return parts.map(toToken)
}

function toToken(raw: string): Token {
  const isQuoted = /^(?:"[\s\S]*"|'[\s\S]*')[.,;:!?]?$/.test(raw)
  const isContraction = /^\p{L}+['’]\p{L}{1,4}[.,;:!?]*$/u.test(raw)
  const word = raw
    .toLowerCase()
    .replace(/^[("'`¿¡«]+|[)"'`.,;:!?»…]+$/gu, '')
    .replace(/['’]/g, '')
  return {
    word,
    raw,
    isHard: !isQuoted && !isContraction && (OPERATOR.test(raw) || OPTION.test(raw) || isGlued(raw)),
    isArgument: !isContraction && (isQuoted || ARGUMENT.test(raw.replace(/[.,;:!?]+$/, ''))),
    isQuoted,
    isContraction,
    isForeign:
      /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}]/u.test(
        word,
      ),
  }
}

const isGlued = (raw: string): boolean =>
  GLUED.test(raw) && !/^\(?[\p{L}\p{N}'’,.-]+[)?!]*$/u.test(raw) && !/^\w+;$/.test(raw)
    ? true
    : /^[\w./-]+;$/.test(raw)
