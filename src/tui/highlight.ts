/** Colours for code: comments, strings, numbers and the words most languages share. One pass, no grammar to load. */

const COLOURS: readonly (readonly [name: string, on: string])[] = [
  ['comment', '\u001B[2m'],
  ['string', '\u001B[32m'],
  ['number', '\u001B[33m'],
  ['keyword', '\u001B[35m'],
]

const OFF = '\u001B[22;39m'

const KEYWORDS = `abstract|and|as|async|await|break|case|catch|class|const|continue|def|default|defer|do|elif|else|end|enum|except|export|extends|final|finally|fn|for|from|func|function|go|if|impl|implements|import|in|instanceof|interface|is|lambda|let|match|mod|module|mut|namespace|new|nil|none|None|not|null|or|package|pass|private|protected|pub|public|raise|readonly|return|self|static|struct|super|switch|this|throw|trait|true|True|false|False|try|type|typeof|union|unless|until|use|using|var|void|when|where|while|with|yield`

const TOKENS = new RegExp(
  [
    String.raw`(?<comment>\/\/.*|(?<![\w&$])#(?![\w[]*["']).*|--\s.*|\/\*[\s\S]*?\*\/)`,
    String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\`(?:[^\`\\]|\\.)*\`)`,
    String.raw`(?<number>\b\d[\d_.]*\w*\b)`,
    String.raw`(?<keyword>\b(?:${KEYWORDS})\b)`,
  ].join('|'),
  'g',
)

/** Text and output are no code. */
const PLAIN = new Set(['', 'text', 'txt', 'plain', 'console', 'output', 'log', 'markdown', 'md'])
const MAX_LENGTH = 50_000

export function highlight(code: string, language = ''): string[] {
  const lines = code.split('\n')
  if (PLAIN.has(language.toLowerCase()) || code.length > MAX_LENGTH) return lines
  return lines.map((line) => line.replace(TOKENS, (token, ...found) => colour(token, found.at(-1))))
}

function colour(token: string, groups: unknown): string {
  const named = groups as Readonly<Record<string, string | undefined>>
  const [, on] = COLOURS.find(([name]) => named[name] !== undefined) ?? []
  return on === undefined ? token : `${on}${token}${OFF}`
}
