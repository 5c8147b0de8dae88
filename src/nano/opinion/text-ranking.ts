/**
 * What a search may look for: stretches of at most six words of the clause, also as the project spells them, and what speaks for each:
 * the words around it, its shape, how often the project's texts have it. A linear model weighs the signs. Pure.
 */
import { boundaries } from '../request/spans.ts'
import { stopWords } from '../request/words.ts'
import type { PathProject } from '../paths/project.ts'
import { spoken } from '../paths/target-ranking.ts'

export type SearchAsk = {
  readonly clause: string
  readonly project: PathProject
  /** Paths that earlier steps were about, the latest first. */
  readonly recent: readonly string[]
}

export type SearchCandidate = { readonly text: string; readonly signs: readonly string[] }

const MOST_WORDS = 6
const MOST_CANDIDATES = 400

export function searchCandidates({ clause, project, recent }: SearchAsk): SearchCandidate[] {
  const spans = spansOf(clause, project)
  const facts = factsOf({ clause, project, recent }, spans)
  const found = new Map<
    string,
    { readonly text: string; readonly form: Span['form']; readonly signs: Set<string> }
  >()
  for (const span of spans) {
    const key = span.text.toLowerCase()
    const same = found.get(key)
    const own = signsOf(span, facts)
    // A text that is said twice has the signs of both places: "about the wax, look for wax".
    if (same?.form === span.form) for (const sign of [...own, 'twice']) same.signs.add(sign)
    else if (!same && found.size < MOST_CANDIDATES)
      found.set(key, { text: span.text, form: span.form, signs: new Set(own) })
  }
  return Array.from(found.values(), ({ text, signs }) => ({ text, signs: [...signs] }))
}

type Span = {
  readonly text: string
  /** How it differs from the words of the clause. */
  readonly form: 'said' | 'singular' | 'joined' | 'part'
  readonly start: number
  readonly end: number
  readonly words: readonly string[]
}

/** Whole spans before changed ones, so that a text that is said counts as said. */
function spansOf(clause: string, project: PathProject): Span[] {
  const said = saidSpans(clause, project)
  return [...said, ...said.flatMap((span) => variantsOf(span, project))]
}

function saidSpans(clause: string, project: PathProject): Span[] {
  const { starts, ends } = boundaries(clause)
  const spans: Span[] = []
  for (const start of starts)
    for (const end of ends) {
      if (end <= start) continue
      const text = clause.slice(start, end)
      if (text.includes('\n')) break
      const words = text.split(/\s+/)
      if (words.length > MOST_WORDS) break
      if (/[\p{L}\p{N}]/u.test(text) && isWhole(text, project))
        spans.push({ text, form: 'said', start, end, words })
    }
  return spans.toSorted((a, b) => a.words.length - b.words.length)
}

/** A sentence's end belongs to what is sought only where the project has it: `TODO:`, `get_user!`. */
const isWhole = (text: string, project: PathProject): boolean =>
  !/["“”‘’«»]|(?<![\p{L}\p{N}])'|[,;]$|[\p{L}\p{N})]\.$|^[,;:!?]/u.test(text) &&
  (!/[:!?]$/.test(text) || textsOf(project).folded.includes(text.toLowerCase()))

function variantsOf(span: Span, project: PathProject): Span[] {
  const { text, words } = span
  const has = (part: string): boolean => textsOf(project).folded.includes(part.toLowerCase())
  if (words.length > 1)
    return words.length > 3
      ? []
      : [words.join('_'), words.join('-'), words.join(''), spoken(text)]
          .filter((joined) => joined !== text && has(joined))
          .map((joined) => ({ ...span, text: joined, form: 'joined' }))
  const last = text.toLowerCase()
  const shorter = [/ies$/, /es$/, /s$/, /ing$/, /ed$/, /e$/].flatMap((end) =>
    end.test(last) ? [last.replace(end, '')] : [],
  )
  return [
    ...shorter
      .filter((part) => part.length > 2 && has(part))
      .map((part): Span => ({ ...span, text: part, form: 'singular' })),
    ...(/[/.:=()]/.test(text) ? text.split(/[/.:=()]+/) : [])
      .filter((part) => part.length > 2 && part !== text)
      .map((part): Span => ({ ...span, text: part, form: 'part' })),
  ]
}

/** Kept for each project, because every clause looks texts up in them. */
const known = new WeakMap<PathProject, Texts>()

function textsOf(project: PathProject): Texts {
  const texts = known.get(project) ?? readTexts(project)
  known.set(project, texts)
  return texts
}

type Texts = ReturnType<typeof readTexts>

function readTexts({ texts, files, folders }: PathProject) {
  const plain = [...texts.values()].join('\n')
  return {
    plain,
    folded: plain.toLowerCase(),
    files: Array.from(texts.values(), (text) => text.toLowerCase()),
    names: [...files, ...folders].join('\n').toLowerCase(),
  }
}

type Facts = ReturnType<typeof factsOf>

function factsOf({ clause, project, recent }: SearchAsk, spans: readonly Span[]) {
  const texts = textsOf(project)
  const counts = new Map<string, number>()
  const count = (text: string): number => {
    const key = text.toLowerCase()
    const found = counts.get(key) ?? timesIn(texts.folded, key)
    counts.set(key, found)
    return found
  }
  return {
    clause,
    project,
    texts,
    count,
    ask: askOf(clause),
    isQuoted: spans.some((span) => isQuotedIn(clause, span)),
    hasCode: spans.some(({ text, words }) => words.length === 1 && CODE.test(text)),
    hasFound: spans.some(({ text, words }) => words.length > 1 && !words.every(isStop) && count(text) > 0),
    isFollowing: recent.length > 0,
  }
}

/** Counting stops where more tell nothing. */
function timesIn(text: string, part: string): number {
  let times = 0
  for (let at = text.indexOf(part); at >= 0 && times < 60; at = text.indexOf(part, at + part.length)) {
    const isWord = !/[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ') || !/[\p{L}\p{N}]/u.test(part[0] ?? '')
    if (isWord) times++
  }
  return times
}

/** How a clause asks, by its first telling word. */
const ASKS =
  /\b(?:search|grep|rg|find|look|where|wheres|who|whos|what|whats|when|which|how|does|do|is|are|did|any|check|show|list|locate|every|all|mention|mentions|mentioned)\b/i
const askOf = (clause: string): string => ASKS.exec(clause)?.[0].toLowerCase() ?? 'none'

const CODE = /[a-z][A-Z]|[A-Za-z]_|^[A-Z\d]{2,}$|\d|\(\)|[=<>#$@[\]{}]|\w[./:-]\w/
const QUOTES = '"\'`“”‘’«»'

const isQuotedIn = (clause: string, { start, end }: Span): boolean =>
  QUOTES.includes(clause[start - 1] ?? ' ') && QUOTES.includes(clause[end] ?? ' ')

const bare = (word: string): string => word.toLowerCase().replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
/** `OFF` of "OFF RECORD" is none. */
const isStop = (word: string): boolean =>
  (stopWords.has(bare(word)) || LEADS.has(bare(word))) && !/^\p{Lu}{2,}$/u.test(word)

/** Words that lead to a text or away from it; others only fill. */
const LEADS = new Set(
  (
    'for in of about mention mentions mentioned mentioning word words text string phrase term name number value line lines entry ' +
    'contains contain containing has have having says say said saying with called named where is are was were the a an any all every ' +
    'search grep rg find look lookup check show list locate who what when which how does do did uses use used using reads read ' +
    'refer refers referring talk talks to from under inside within across through on at and or by still left anywhere somewhere ' +
    'everywhere comes come appears appear occurs occur defined set stands stand written spelled please me we our us it that this ' +
    'thing stuff anything something files file folder notes docs code project repo after before than not there here get got go gets ' +
    'hits occurrences references comments places times key variable function be been had my her his their you i your'
  ).split(' '),
)

const leadOf = (word: string | undefined): string => {
  if (word === undefined) return 'edge'
  const plain = bare(word)
  if (plain === '') return 'sign'
  return LEADS.has(plain) ? plain : stopWords.has(plain) ? 'stop' : 'word'
}

function signsOf(span: Span, facts: Facts): string[] {
  const around = aroundSigns(span, facts)
  const shape = shapeSigns(span, facts)
  const found = foundSigns(span, facts)
  const size = Math.min(4, span.words.length)
  const state = found.slice(0, 2).join(' ')
  return [
    ...around,
    ...shape,
    ...found,
    ...around.slice(0, 4).flatMap((sign) => [`${facts.ask}|${sign}`, `${size}|${sign}`, `${state}|${sign}`]),
    ...shape.slice(0, 3).map((sign) => `${facts.ask}|${sign}`),
    ...found
      .slice(0, 6)
      .flatMap((sign) => [`${facts.ask}|${sign}`, `${size}|${sign}`, `${shape[0]}|${sign}`]),
    ...(facts.isFollowing ? [`following|${shape[0]}`] : []),
  ]
}

function aroundSigns({ start, end }: Span, { clause }: Facts): string[] {
  const before = clause.slice(0, start).split(/\s+/).filter(Boolean)
  const after = clause.slice(end).split(/\s+/).filter(Boolean)
  const [one, two] = [leadOf(before.at(-1)), leadOf(before.at(-2))]
  const isCut = /[,;:.!?)–-]$/.test(before.at(-1) ?? '')
  const isEnd = /^[,;:.!?)]/.test(clause.slice(end))
  const next = isEnd ? 'cut' : leadOf(after[0])
  const trigger = before.map(bare).findLastIndex((word) => TRIGGERS.has(word))
  return [
    `before:${isCut ? 'cut ' : ''}${one}`,
    `before:${isCut ? 'cut ' : ''}${two} ${one}`,
    `after:${next}`,
    `between:${one} ${next}`,
    `after:${next} ${isEnd ? 'cut' : leadOf(after[1])}`,
    `trigger:${trigger < 0 ? 'none' : `${bare(before[trigger] ?? '')} ${Math.min(3, before.length - 1 - trigger)}`}`,
    `from-start:${Math.min(6, before.length)}`,
    `from-end:${Math.min(4, after.length)}`,
  ]
}

const TRIGGERS = new Set(
  (
    'for mention mentions mentioned word words says say said contain contains containing grep search about called named with has ' +
    'text string phrase of is find'
  ).split(' '),
)

function shapeSigns(span: Span, facts: Facts): string[] {
  const { text, words, form } = span
  const quoted = isQuotedIn(facts.clause, span)
  const isInside = !quoted && facts.isQuoted
  const capitals = words.filter((word) => /^\p{Lu}/u.test(word)).length
  const code = CODE.test(text)
  const written = capitals === words.length ? 'capital' : 'plain'
  const kind = /^\d[\d.,]*$/.test(text) ? 'number' : code ? 'code' : written
  const isFirst = span.start === 0 || /[.!?]\s+$/.test(facts.clause.slice(0, span.start))
  const stops = words.filter(isStop).length
  return [
    `shape:${kind}${isFirst ? ' first' : ''} ${Math.min(4, words.length)}`,
    `quoted:${quoted ? 'yes' : isInside ? 'other' : 'none'}`,
    `form:${form}`,
    `edges:${leadOf(words[0])} ${leadOf(words.at(-1))}`,
    `first:${leadOf(words[0])}`,
    `last:${leadOf(words.at(-1))}`,
    `stops:${Math.min(3, stops)} of ${Math.min(4, words.length)}`,
    `code:${code} ${facts.hasCode}`,
    ...(/^\p{Lu}{2,}$/u.test(text) ? ['upper'] : []),
    `length:${bucket(text.length, [3, 4, 6, 10, 18])}`,
    ...(/[:!?]$/.test(text) ? ['tail-sign'] : []),
    ...(/^-\w/.test(text) ? ['flag'] : []),
    ...(/^[^()[\]{}]*[)\]}]|[([{][^()[\]{}]*$/.test(text) ? ['half-bracket'] : []),
  ]
}

function foundSigns(span: Span, { project, texts, clause, count, hasFound }: Facts): string[] {
  const { text, words, start, end } = span
  const times = count(text)
  const files = times === 0 ? 0 : texts.files.filter((file) => file.includes(text.toLowerCase())).length
  const named = texts.names.includes(text.toLowerCase()) && text.length > 2
  const longer = (part: string): boolean => part !== text && count(part) > 0
  const left = /\S+\s+$/.exec(clause.slice(0, start))?.[0] ?? ''
  const right = /^\s+[\p{L}\p{N}_-]+/u.exec(clause.slice(end))?.[0] ?? ''
  const rare = words.length === 1 ? project.wordRarity(bare(text)) : 9
  return [
    `times:${bucket(times, [1, 2, 4, 8, 20])}`,
    `named:${named}`,
    `files:${bucket(files, [1, 2, 3, 6, 12])}`,
    `case:${times > 0 && texts.plain.includes(text)}`,
    `grows:${left !== '' && !isStop(left.trim()) && longer(left.replace(/^\W+/, '') + text)} ${right !== '' && !isStop(right.trim()) && longer(text + right)}`,
    `grows-any:${left !== '' && longer(left + text)} ${right !== '' && longer(text + right)}`,
    `longer-found:${hasFound} ${words.length > 1} ${times > 0}`,
    `rare:${bucket(rare, [0.5, 1, 2, 3])}`,
  ]
}

const bucket = (value: number, edges: readonly number[]): number =>
  edges.filter((edge) => value >= edge).length
