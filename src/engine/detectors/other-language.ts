/**
 * A small model that slips into the language it was mostly trained on. A script that neither the prompt nor the
 * results use is seen at once; within one script the little words tell, and only where they tell clearly. A prompt
 * that asks for a language, or contains texts in it, gets it.
 */
import type { ReplyDetector } from './detector.ts'

export const otherLanguage: ReplyDetector = ({ text }, { prompt, results, due }) => {
  const prose = withoutCode(text)
  const given = `${prompt}\n${results.join('\n')}`
  if (ASKS_FOR_LANGUAGE.test(prompt)) return undefined
  const isForeign = hasForeignScript(prose, given) || hasForeignWords(prose, prompt, given)
  if (!isForeign) return undefined
  const [missing] = due.missing
  if (missing === undefined) {
    return { detector: 'other-language', note: 'Answer in the language of the task.', again: 1, notes: 0 }
  }
  return {
    detector: 'other-language',
    note: `Go on in the language of the task. Still missing: ${missing}. Make the next tool call.`,
    otherwise: 'The task is not done. Your next reply must be a tool call.',
  }
}

const withoutCode = (text: string): string =>
  text.replaceAll(/```[\s\S]*?(?:```|$)/g, ' ').replaceAll(/`[^`\n]*`/g, ' ')

const ASKS_FOR_LANGUAGE =
  /\b(?:translat\w*|übersetz\w*|tradui\w*|traduc\w*|i18n|locali[sz]\w*|languages?|sprache|langue|idioma|(?:in|to|into|auf|en) (?:english|german|french|spanish|italian|portuguese|dutch|russian|chinese|japanese|korean|arabic|hindi|polish|turkish|deutsch|englisch|französisch|français|anglais|español|inglés))\b|翻译|перев/iu

const scripts: readonly RegExp[] = [
  /\p{Script=Latin}/gu,
  /\p{Script=Cyrillic}/gu,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  /\p{Script=Hangul}/gu,
  /\p{Script=Arabic}/gu,
  /\p{Script=Hebrew}/gu,
  /\p{Script=Devanagari}/gu,
  /\p{Script=Thai}/gu,
  /\p{Script=Greek}/gu,
]

const FEWEST_LETTERS = 6
const FEWEST_GIVEN = 3

function hasForeignScript(prose: string, given: string): boolean {
  const own = mainScript(prose)
  if (!own || lettersOf(prose) < FEWEST_LETTERS || mainScript(given) === own) return false
  // A few letters in a comment of the project are enough to make it one of its languages.
  return (given.match(own)?.length ?? 0) < FEWEST_GIVEN
}

const lettersOf = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0

const mainScript = (text: string): RegExp | undefined => {
  const half = lettersOf(text) / 2
  return scripts.find((script) => (text.match(script)?.length ?? 0) > half)
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Words that hardly any sentence goes without and no other of these languages has. */
const littleWords: { readonly [language: string]: ReadonlySet<string> } = {
  english: setOf(
    "the and of to is are were this that these with have has had not you it its for i'll it's from be been in on at by as or if then what how why does do did can could should would will my your please make run file all only into when which there",
  ),
  german: setOf(
    'was macht warum der das und ist nicht ich mir mich den dem ein eine einen einer auf zu mit jetzt habe hat wird wurde datei für sich wie worum geht verstehe sind werden bitte aber auch wenn noch nur',
  ),
  french: setOf(
    'le les des et est une dans je vous pour pas qui maintenant avec fichier sur du ce cette sont nous mais aussi été ai être très',
  ),
  spanish: setOf(
    'el los las y es una para con ahora archivo por del lo esta este voy más pero también está son muy ya hay',
  ),
  portuguese: setOf(
    'os um uma em com agora arquivo não isto está vou mais você são muito também já foi ao pelo',
  ),
  italian: setOf('il gli è di che adesso della sono questo questa ho nel dei più anche ora stato viene'),
  dutch: setOf('het een niet ik voor nu bestand zijn dit dat wordt heb maar ook naar bij wij nog'),
  polish: setOf('w na nie jest się że z plik teraz oraz mam jak dla czy tylko już'),
}

const FEWEST_WORDS = 6
const CLEARLY = 0.25

function hasForeignWords(prose: string, prompt: string, given: string): boolean {
  const words = wordsOf(prose)
  if (words.length < FEWEST_WORDS) return false
  const [own, share] = likeliest(words)
  const [asked, askedShare] = likeliest(wordsOf(withoutCode(prompt)))
  const isClear = share >= CLEARLY && share >= 3 * shareOf(words, asked)
  if (own === asked || !isClear || askedShare === 0) return false
  return shareOf(wordsOf(given), own) < CLEARLY / 2
}

const wordsOf = (text: string): readonly string[] =>
  (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/\p{L}[\p{L}']*/gu) ?? []
  ).slice(0, 400)

function likeliest(words: readonly string[]): readonly [string, number] {
  const shares = Object.keys(littleWords).map((name) => [name, shareOf(words, name)] as const)
  return shares.reduce((best, next) => (next[1] > best[1] ? next : best))
}

const shareOf = (words: readonly string[], language: string): number =>
  words.length === 0 ? 0 : words.filter((word) => littleWords[language]?.has(word)).length / words.length
