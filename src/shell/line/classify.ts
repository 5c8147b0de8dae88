/**
 * Whether a line is a command or a question. Pure: the line and what the shell says of its first word give the same decision
 * every time. Only the shape counts; nothing is asked of a model. `sure` is false where the other reading is possible: a
 * command that destroys is not run then.
 */
import { destroys } from './destroys.ts'
import { keywordDecision } from './keywords.ts'
import { isMistyped } from './mistyped.ts'
import { readsLikeSentence } from './sentence.ts'
import { type Token, toTokens } from './tokens.ts'
import { prefixes, strongWords, weakWords } from './words.ts'

export type WordKind = 'file' | 'builtin' | 'alias' | 'function' | 'keyword' | 'none'

export type Decision = {
  readonly reading: 'command' | 'question'
  /** No doubt: it was marked, or its shape allows nothing else. */
  readonly sure: boolean
  /** Without the mark it began with. */
  readonly text: string
  /** What it would destroy if it ran is lost. */
  readonly destroys: boolean
}

/** What `type -t` of bash and fish and `whence -w` of zsh say. */
export function toKind(said: string): WordKind {
  if (said === 'command' || said === 'hashed' || said === 'file') return 'file'
  if (said === 'reserved' || said === 'keyword') return 'keyword'
  return said === 'builtin' || said === 'alias' || said === 'function' ? said : 'none'
}

export function classify(line: string, kind: WordKind): Decision {
  const text = line.trim()
  if (text.startsWith('?')) return question(text.replace(/^\?+\s*/, ''), true)
  // `!!`, `!$`, `!-2`: the shell's own history.
  if (/^!(?:[!$*^#?-]|\d)/.test(text)) return command(text, true)
  if (text.startsWith('!')) return command(text.replace(/^!\s*/, ''), true)
  if (text === '' || text.startsWith('#')) return command(line, true)
  const bySyntax = syntaxDecision(text, kind)
  if (bySyntax !== undefined) return bySyntax === 'command' ? command(line, true) : question(text, false)
  if (kind === 'none') return unknownWord(line, text)
  return byShape(line, text)
}

const command = (text: string, sure: boolean): Decision => ({
  reading: 'command',
  sure,
  text,
  destroys: destroys(text),
})

const question = (text: string, sure: boolean): Decision => ({
  reading: 'question',
  sure,
  text,
  destroys: false,
})

/** What the first characters alone decide. */
function syntaxDecision(text: string, kind: WordKind): 'command' | 'question' | undefined {
  if (/^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(text)) return 'command'
  if (/^(?:function\s+)?[\w:.-]+\s*\(\s*\)/.test(text)) return 'command'
  const [first = '', ...rest] = text.split(/\s+/)
  // "> why is this", "`npm test` fails, why": quoted text with words of a sentence behind it.
  if (/^(?:[<>]|`|\$\d)/.test(text)) return isSentence(`cat ${afterQuote(text)}`) ? 'question' : 'command'
  if (/^(?:\(\(|\[\[?\s|\{\s|\$[\w({]|\\\w|&|\|)/.test(text)) return 'command'
  if (first.startsWith('(')) return isSentence(text.replace(/^\(+\s*/, '')) ? 'question' : 'command'
  if (/^["']/.test(first))
    return /^["'](?:[~.]{0,2}\/|\w+["']$)/.test(first) && kind !== 'none' ? 'command' : quoted(text)
  if (/^(?:\.{0,2}|~[\w-]*)\//.test(first) || /^(?:~|\.\.?|-)$/.test(first))
    return rest.length > 1 && isSentence(`cat ${rest.join(' ')}`) ? 'question' : 'command'
  return undefined
}

const afterQuote = (text: string): string => text.replace(/^`[^`]*`\s*|^[<>$]+\s*/, '')

const quoted = (text: string): 'command' | 'question' =>
  /^["'][~.]{0,2}\/[^"']*["']/.test(text) ? 'command' : 'question'

const isSentence = (text: string): boolean => readsLikeSentence(toTokens(text)).isSentence

/** "command to list ports", "time is short": no program is called that. */
const isWordOfSentence = (token: Token | undefined): boolean =>
  token !== undefined && (strongWords.has(token.word) || weakWords.has(token.word))

/** No program is called so: a question, unless the name is mistyped or is given options and nothing that reads like words. */
function unknownWord(line: string, text: string): Decision {
  const tokens = toTokens(text.slice(0, MAX_READ))
  const [first, ...rest] = tokens
  if (first && isMistyped(first.raw) && !readsLikeSentence(tokens).isSentence) return command(line, false)
  const isPlainName = first !== undefined && /^[\w.-]+$/.test(first.raw) && !isWordOfSentence(first)
  const isCall = rest[0]?.isHard === true && rest.every(({ isHard, isArgument }) => isHard || isArgument)
  if (isPlainName && isCall) return command(line, false)
  return question(text, !/^[\w.-]+(?:\s+-|$)/.test(text))
}

/** The beginning of a long line says what it is. */
const MAX_READ = 2_000

function byShape(line: string, text: string): Decision {
  // The first line of several decides; a text of a here-document is no sentence.
  const [firstLine = ''] = text.split('\n', 1)
  const all = toTokens(firstLine.slice(0, MAX_READ))
  const byKeyword = keywordDecision(firstLine, all)
  if (byKeyword !== undefined) return byKeyword === 'command' ? command(line, true) : question(text, false)
  const skipped = all.findIndex(({ word, raw }) => !prefixes.has(word) && !/^\w+=/.test(raw))
  if (skipped > 0 && isWordOfSentence(all[skipped])) return behindPrefix(line, text, all.slice(skipped))
  // `sudo -u www ls`, `time -p make`: an option of the prefix.
  const isPrefix = skipped > 0 && !all[skipped]?.raw.startsWith('-')
  const tokens = isPrefix ? all.slice(skipped) : all
  const { isSentence, isSure } = readsLikeSentence(tokens.length > 0 ? tokens : all)
  // Words of a sentence are reason enough not to destroy anything.
  const isDoubtful = all.some(isSpoken) && destroys(text)
  return isSentence ? question(text, false) : command(line, isSure && !isDoubtful)
}

/** "time until six", "nice to see": where a program has to follow, only the shell's own grammar begins so. */
const behindPrefix = (line: string, text: string, tokens: readonly Token[]): Decision =>
  keywordDecision(tokens.map(({ raw }) => raw).join(' '), tokens) === 'command'
    ? command(line, true)
    : question(text, false)

const isSpoken = ({ word, isContraction, isQuoted, isArgument }: Token): boolean =>
  isContraction || (!isQuoted && !isArgument && strongWords.has(word))
