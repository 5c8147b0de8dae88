/** What is remembered. A fact is a sentence or two; a lesson is one that was learnt from something that went wrong. */
import { cleanOutput } from '../lib/text.ts'
import { AppError } from '../protocol/error.ts'
import { type FactKind, factKinds } from '../protocol/fact-kinds.ts'
import { readStatement, type Statement } from './topic.ts'
import { termsOf } from './words.ts'

const lessonParts = ['trigger', 'symptom', 'cause', 'fix', 'test'] as const
type Lesson = { readonly [Part in (typeof lessonParts)[number]]?: string }

export type Fact = {
  /** Never given to another fact, not even after this one was removed. */
  readonly id: number
  readonly kind: FactKind
  readonly text: string
  readonly lesson?: Lesson
  /** Holds in every project. */
  readonly isGlobal: boolean
  /** Who said so: `model`, `person`, or a file. */
  readonly source: string
  readonly addedAt: number
  readonly usedAt: number
  readonly uses: number
  /** The newer fact that took its place. */
  readonly supersededBy?: number
}

export type NewFact = {
  readonly text: string
  readonly kind?: FactKind
  readonly isGlobal?: boolean
  readonly source: string
}

/** What is about to be stored, read and bounded. */
export type FactDraft = Statement & {
  readonly kind: FactKind
  readonly text: string
  readonly lesson?: Lesson
  readonly terms: readonly string[]
}

const MAX_CHARACTERS = 2_000

export function draftFact({ text, kind }: Pick<NewFact, 'text' | 'kind'>): FactDraft {
  // One plain line, from any source: in a context it must not look like more than a fact.
  const plain = cleanOutput(text.replaceAll(/\s+/g, ' ')).trim()
  if (plain === '') throw new AppError('tool-failed', 'There is nothing to remember; give a sentence.')
  if (plain.length > MAX_CHARACTERS) {
    const message = `A fact has at most ${MAX_CHARACTERS} characters, this one has ${plain.length}; say the point of it.`
    throw new AppError('tool-failed', message)
  }
  const { label, rest } = readLabel(plain)
  const lesson = readLesson(rest)
  const chosen = kind ?? label ?? (lesson ? 'lesson' : guessKind(rest))
  const terms = termsOf(rest)
  if (chosen !== 'lesson') return { ...readStatement(rest), kind: chosen, text: rest, terms }
  return { ...lessonStatement(rest, lesson), kind: chosen, text: rest, terms, ...(lesson && { lesson }) }
}

function readLabel(text: string): { readonly label?: FactKind; readonly rest: string } {
  const found = /^\[?(fact|preference|lesson|decision)(?:\]:?|:)\s*(?=\S)/i.exec(text)
  const label = factKinds.find((kind) => kind === found?.[1]?.toLowerCase())
  return found && label ? { label, rest: text.slice(found[0].length) } : { rest: text }
}

const PART = /(?:^|[\s;,.])\(?(trigger|symptom|cause|fix|test)\s*[:=]\s*/gi

/** "trigger: … symptom: … cause: … fix: … test: …", in any order; two of them make a lesson. */
function readLesson(text: string): Lesson | undefined {
  const marks = [...text.matchAll(PART)]
  const parts = marks.flatMap((mark, index) => {
    const value = text.slice(mark.index + mark[0].length, marks[index + 1]?.index).replace(/[\s;,]+$/, '')
    return value === '' ? [] : [[mark[1]?.toLowerCase() ?? '', value]]
  })
  return parts.length >= 2 ? Object.fromEntries(parts) : undefined
}

/** The same trouble met again: what was learnt last counts. */
function lessonStatement(text: string, lesson: Lesson | undefined): Statement {
  const statement = readStatement(text)
  if (lesson?.trigger === undefined || lesson.symptom === undefined) return statement
  const topic = `lesson ${readStatement(lesson.trigger).identity} | ${readStatement(lesson.symptom).identity}`
  return { identity: statement.identity, topic, value: statement.identity }
}

function guessKind(text: string): FactKind {
  if (
    /\b(?:prefers?|likes?|dislikes?|wants?|hates?) |^(?:always|never|please|don['’]?t|do not) /i.test(text)
  ) {
    return 'preference'
  }
  return /\b(?:decided|agreed|we chose|we will|settled on|decision)\b/i.test(text) ? 'decision' : 'fact'
}
