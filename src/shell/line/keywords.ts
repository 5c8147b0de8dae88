/** Words of the shell's own grammar: they are commands only in the shape the grammar gives them. */
import type { Token } from './tokens.ts'

/** After each, what makes it the shell's; everything else is a sentence that begins with the word. */
const grammar: ReadonlyMap<string, RegExp> = new Map([
  ['for', /^for\s+(?:\(\(|[A-Za-z_]\w*(?:\s+in\b.*|\s*;.*|\s*)$)/],
  ['foreach', /^foreach\s+\w+\s*\(/],
  ['select', /^select\s+[A-Za-z_]\w*(?:\s+in\b|\s*;|\s*$)/],
  ['case', /^case\s+(?!in\b)\S+\s+in\b/],
  ['function', /^function\s+[\w:.-]+\s*(?:\(\s*\))?\s*(?:\{.*)?(?:[-;].*)?$/],
  [
    'if',
    /^if\s+(?:\[|\(|!|test\b|command\b|type\b|true\b|false\b|set\b|string\b|status\b|not\b|contains\b|grep\b|\w+\s+-|.*[;|<>]\s*|.*\bthen$)/,
  ],
  [
    'while',
    /^while\s+(?:\[|\(|!|:|test\b|true\b|read\b|sleep\b|kill\b|pgrep\b|curl\b|ps\b|\w+\s+-|.*[;|<>])/,
  ],
  [
    'until',
    /^until\s+(?:\[|\(|!|test\b|false\b|curl\b|nc\b|ping\b|grep\b|docker\b|pg_isready\b|\w+\s+-|.*[;|<>])/,
  ],
  ['do', /^do$/],
  ['then', /^then$/],
  ['else', /^else$/],
  ['elif', /^elif\s+[[!(]/],
  ['fi', /^fi\b/],
  ['done', /^done(?:\s*[|<>;&].*)?$/],
  ['esac', /^esac\b/],
  ['in', /^in$/],
  ['begin', /^begin(?:\s*;.*)?$/],
  ['end', /^end(?:\s*[|<>;&].*)?$/],
])

export function keywordDecision(line: string, [first]: readonly Token[]): 'command' | 'question' | undefined {
  const pattern = first && grammar.get(first.raw)
  if (!pattern) return undefined
  return pattern.test(line) ? 'command' : 'question'
}
