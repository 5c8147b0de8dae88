/** Colours for code: comments, strings, numbers and the words most languages share. One pass, no grammar to load. */
import { dim, green, magenta, yellow } from './theme.ts'

const PAINTS: readonly (readonly [name: string, paint: (text: string) => string])[] = [
  ['comment', dim],
  ['string', green],
  ['number', yellow],
  ['keyword', magenta],
]

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
  const [, paint] = PAINTS.find(([name]) => named[name] !== undefined) ?? []
  return paint?.(token) ?? token
}
