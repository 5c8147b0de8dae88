/**
 * Whether words behind a known program read like a sentence. The words before the first sign of a shell (an option, an
 * operator) decide; behind it everything is an argument, unless the line ends as a question.
 */
import type { Token } from './tokens.ts'
import {
  fileTakers,
  lookups,
  openingWords,
  plainWords,
  pronouns,
  searchers,
  speakers,
  strongWords,
  taskRunners,
  weakWords,
  wordyPrograms,
} from './words.ts'

type Verdict = { readonly isSentence: boolean; readonly isSure: boolean }

const SENTENCE: Verdict = { isSentence: true, isSure: false }
const COMMAND: Verdict = { isSentence: false, isSure: true }
const LIKELY_COMMAND: Verdict = { isSentence: false, isSure: false }

export function readsLikeSentence(tokens: readonly Token[]): Verdict {
  const [program, ...rest] = tokens
  if (!program || rest.length === 0) return bare(program)
  if (speakers.has(program.word)) return COMMAND
  const own = rules[program.word]?.(rest)
  if (own) return own
  const hard = rest.findIndex(({ isHard }) => isHard)
  const open = hard < 0 ? rest : rest.slice(0, hard)
  const isAsked = endsAsQuestion(program, rest)
  if (hard >= 0 && !isOpening(program, open))
    return (isAsked && hasStrong(rest)) || goesOnInWords(rest.slice(hard)) ? SENTENCE : COMMAND
  if (isAsked) return SENTENCE
  return weigh(program, open)
}

/** `who`, `date`; "time?" is no program. */
const bare = (program: Token | undefined): Verdict =>
  program && /[?]$/.test(program.raw) ? SENTENCE : COMMAND

function endsAsQuestion(program: Token, rest: readonly Token[]): boolean {
  const last = rest.at(-1)
  if (!last || !/[?？]$/.test(last.raw) || last.isQuoted) return false
  if (last.raw === '?' || last.raw.endsWith('？')) return true
  // `ls file?` is a pattern.
  return !(fileTakers.has(program.word) && rest.filter(({ isHard }) => !isHard).length === 1)
}

const hasStrong = (tokens: readonly Token[]): boolean => tokens.some(isStrong)

const isStrong = ({ word, isQuoted, isContraction, isArgument }: Token): boolean =>
  isContraction || (!isQuoted && !isArgument && strongWords.has(word))

/** "git reset --hard ate my changes, can i get them back": what a command is given is not said in words like these. */
function goesOnInWords(rest: readonly Token[]): boolean {
  const operator = rest.findIndex(({ isHard, raw }) => isHard && !raw.startsWith('-'))
  const words = operator < 0 ? rest : rest.slice(0, operator)
  return words.filter(isStrong).length >= 2
}

/** The words before an option or an operator are a sentence of their own already. */
function isOpening(program: Token, open: readonly Token[]): boolean {
  if (searchers.has(program.word)) return open.slice(1).filter(isStrong).length >= 2
  const [first] = open
  if (!first) return false
  const counted = open.filter(isStrong).length
  if (counted >= 2) return true
  return open.length >= 2 && (counted === 1 || (openingWords.has(first.word) && !first.isArgument))
}

function weigh(program: Token, words: readonly Token[]): Verdict {
  const considered = searchers.has(program.word) ? words.slice(1) : words
  const [first] = considered
  if (!first) return COMMAND
  if (words.length === 1) return alone(program, first)
  if (searchers.has(program.word) && isSpoken(words)) return SENTENCE
  const strong = considered.filter(
    (token, at) => isStrong(token) || isArticle(token, considered[at + 1]),
  ).length
  if (wordyPrograms.has(program.word)) return strong >= 2 ? SENTENCE : COMMAND
  if (strong > 0 || isDetermined(program, considered)) return SENTENCE
  if (openingWords.has(first.word) && !first.isArgument) return SENTENCE
  if (lookups.has(program.word)) return COMMAND
  return byWeakWords(considered, words.length)
}

/** "locate the nginx config", "grep for errors": the pattern would be an article, and no file is named. */
const isSpoken = ([first, ...rest]: readonly Token[]): boolean =>
  first !== undefined &&
  rest.length >= (weakWords.has(first.word) ? 1 : 2) &&
  (isStrong(first) || weakWords.has(first.word)) &&
  rest.every(isPlain)

function byWeakWords(considered: readonly Token[], count: number): Verdict {
  const weak = considered.filter(
    ({ word, isQuoted }, at) => !isQuoted && weakWords.has(word) && at < considered.length - 1,
  ).length
  const isMiddle = considered.some(
    ({ word }, at) => at > 0 && at < considered.length - 1 && weakWords.has(word),
  )
  const plain = considered.filter(({ word }) => plainWords.has(word)).length
  const foreign = considered.filter(({ isForeign, isArgument }) => isForeign && !isArgument).length
  const isPunctuated =
    count >= 3 && considered.some(({ raw, isQuoted }) => !isQuoted && /\p{L}[,!.:…]$/u.test(raw))
  const args = considered.filter(({ isArgument }) => isArgument).length
  if (weak >= 2 || plain > 0 || foreign >= 2 || isPunctuated) return SENTENCE
  if (weak === 1 && isMiddle && count >= 3 && args < 2) return SENTENCE
  return count >= 2 && args === 0 ? LIKELY_COMMAND : COMMAND
}

/** One word behind the program. */
function alone(program: Token, { word, raw, isArgument, isContraction }: Token): Verdict {
  if (program.word === 'which' && /^ones?$/.test(word)) return SENTENCE
  if (/^(?:me|please)$/.test(word)) return SENTENCE
  if (lookups.has(program.word) || fileTakers.has(program.word) || isArgument) return COMMAND
  if (isContraction) return SENTENCE
  if (pronouns.has(word) && !(taskRunners.has(program.word) && word === 'all')) return SENTENCE
  if (/^(?:please|bitte|what|why|how|was|warum|wie)$/.test(word) || /\p{L}[!,]$/u.test(raw)) return SENTENCE
  return COMMAND
}

/** `a`, where a noun follows; `cp a b` has none. */
const isArticle = ({ word, isArgument }: Token, next: Token | undefined): boolean =>
  word === 'a' &&
  !isArgument &&
  next !== undefined &&
  /^\p{L}[\p{L}-]{2,}/u.test(next.word) &&
  !next.isArgument

/** "all files", "three parts": something counted, which no program but a runner of tasks is given by name. */
const isDetermined = (program: Token, [first, second]: readonly Token[]): boolean =>
  first?.word === 'all' && second !== undefined && !second.isArgument && !taskRunners.has(program.word)

function numbersOnly([first]: readonly Token[]): Verdict | undefined {
  return first && isPlain(first) ? SENTENCE : undefined
}

function allPlain(rest: readonly Token[]): Verdict | undefined {
  return rest.every(isPlain) ? SENTENCE : undefined
}

type Rule = (rest: readonly Token[]) => Verdict | undefined

const isPlain = ({ isHard, isArgument }: Token): boolean => !isHard && !isArgument

/** Programs whose arguments have a shape of their own. */
const rules: Readonly<Record<string, Rule>> = {
  // Two plain words and no option: `find` is always given a folder or an option.
  find: (rest) =>
    rest.length >= 2 && (rest.every(isPlain) || (rest[0]?.word === 'out' && !rest[1]?.isHard))
      ? SENTENCE
      : undefined,
  set: ([first, second]) => (first?.word === 'up' && second && !second.isHard ? SENTENCE : undefined),
  look: ([first, second]) => (first?.word === 'up' && second ? SENTENCE : undefined),
  test: (rest) => (rest.length >= 2 && rest.slice(0, 2).every(isPlain) ? SENTENCE : undefined),
  kill: ([first]) => (first && isPlain(first) ? SENTENCE : undefined),
  who: ([first, second]) =>
    (first?.word === 'am' && second?.word === 'i') || first?.raw.startsWith('-') || first?.isArgument
      ? COMMAND
      : SENTENCE,
  at: ([first]) =>
    first && /^(?:now|noon|midnight|teatime|today|tomorrow)$/.test(first.word) ? COMMAND : undefined,
  git: (rest) => gitRule(rest),
  go: ([first]) => (first && isPlain(first) && !GO.test(first.word) ? SENTENCE : undefined),
  // They take a number or a job; words would end the shell or be refused.
  exit: numbersOnly,
  logout: numbersOnly,
  return: numbersOnly,
  fg: numbersOnly,
  bg: numbersOnly,
  // Two files at least, or a user and a terminal: one plain word is a wish.
  install: allPlain,
  write: allPlain,
}

const GO =
  /^(?:build|run|test|get|install|mod|fmt|vet|env|doc|generate|list|tool|work|version|clean|bug|fix|telemetry|help)$/

const GIT =
  /^(?:add|am|apply|archive|bisect|blame|branch|bundle|cat-file|checkout|cherry|cherry-pick|clean|clone|commit|config|describe|diff|difftool|fetch|format-patch|fsck|gc|grep|help|init|log|ls-files|ls-remote|ls-tree|maintenance|merge|merge-base|mergetool|mv|notes|pull|push|range-diff|rebase|reflog|remote|replace|rerere|reset|restore|rev-list|rev-parse|revert|rm|shortlog|show|show-ref|sparse-checkout|stash|status|submodule|switch|symbolic-ref|tag|update-index|version|whatchanged|worktree|lfs|flow|co|ci|st|br|lg)$/

function gitRule([first, ...rest]: readonly Token[]): Verdict | undefined {
  if (!first || first.isHard || first.isArgument) return undefined
  if (GIT.test(first.word)) return undefined
  // An alias of the person's is given paths, branches and options; a sentence goes on in words.
  return rest.length > 0 && rest.every(isPlain) ? SENTENCE : undefined
}
