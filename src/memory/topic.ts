/**
 * What a fact is about, so that a newer one can take the place of an older one. A statement is divided into a topic and
 * a value; the same topic with another value contradicts, everything else stands side by side. Only relations that hold
 * one value at a time count ("listens on", "is", "defaults to"), never those that hold many ("uses", "has"), and only
 * values of the same shape: a wrong "contradicts" loses a fact, a missed one only keeps two.
 */
import { stem } from './stem.ts'
import { wordsOf } from './words.ts'

export type Statement = {
  /** Equal for statements that say the same in the same words. */
  readonly identity: string
  readonly topic: string
  readonly value: string
}

export const contradicts = (older: Statement, newer: Statement): boolean =>
  older.topic === newer.topic && older.value !== newer.value

export function readStatement(text: string): Statement {
  const sentence = text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/[.! ]+$/, '')
  const identity = toKey(sentence)
  return { identity, ...(attributeOf(sentence) ?? polarityOf(sentence)) }
}

type Attribute = Pick<Statement, 'topic' | 'value'>

/** "X is V", "X listens on V", "use V for X", "prefer V over W": one value at a time. */
function attributeOf(sentence: string): Attribute | undefined {
  if (/[.;!?]\s/.test(sentence) || has(sentence, NEGATION) || has(sentence, OPPOSITES)) return undefined
  const found = FORMS.map((form) => form.exec(sentence)?.groups).find((groups) => groups !== undefined)
  const { subject = '', verb = '', value = '' } = found ?? {}
  const shape = shapeOf(value)
  const topic = toKey(subject)
  if (shape === undefined || topic === '') return undefined
  if (/^(?:is|are|was|were)$/i.test(verb) && shape === 'words' && !isName(value) && !isAttribute(subject))
    return undefined
  return { topic: `${topic} | ${toKey(verb)} | ${shape}`, value: toKey(value) }
}

const VERBS =
  'is set to|are set to|defaults? to|points? to|listens? (?:on|at)|runs? (?:at|with|every)|' +
  '(?:is|are) (?:written in|hosted (?:on|in|at|by)|deployed (?:to|on)|owned by|maintained by|stored (?:in|on|under)|' +
  'kept (?:in|on|under)|called|named|located (?:in|at|under)|built with|managed (?:with|by)|limited to|pinned to)|' +
  'lives? (?:in|on|at|under)|stays? at|equals?|expires? (?:after|in|on)|times? out after|starts? (?:at|on)|' +
  'ends? (?:at|on)|belongs? to|is|are|was|were'

const FORMS: readonly RegExp[] = [
  /^(?<subject>(?:.* )?(?<verb>prefers?)) (?<value>.+ over .+)$/i,
  /^(?:(?:we|i|the (?:project|team|user)) )?(?<verb>use|uses|prefer|prefers) (?<value>.+?) for (?<subject>.+)$/i,
  new RegExp(`^(?<subject>.+?) ?(?<verb>\\b(?:${VERBS})\\b|=|:(?= )) ?(?<value>.+)$`, 'i'),
]

/** Values are comparable only when they look alike; a long remainder is a remark, not a value. */
function shapeOf(value: string): string | undefined {
  const plain = value
    .replaceAll(/["'`]/g, '')
    .replace(/^(?:the|an?) /i, '')
    .trim()
  if (/ over /.test(plain)) return 'order'
  if (/^v?\d[\d.,_]*$/.test(plain)) return 'number'
  if (/^v?\d[\d.,_]*\s*[\p{L}%]+$/u.test(plain)) return 'quantity'
  if (/^https?:\/\//.test(plain)) return 'url'
  if (/^[~.]{0,2}\/|^[\w.-]+\/[\w./-]*$/.test(plain)) return 'path'
  const words = plain.split(' ').length
  return plain !== '' && words <= LONGEST_VALUE ? 'words' : undefined
}

const LONGEST_VALUE = 3
const isName = (value: string): boolean => /[\p{Lu}\d_]/u.test(value)

/** "The cache is shared" and "the cache is slow" are both true; "the default branch is …" has one end. */
const isAttribute = (subject: string): boolean =>
  ATTRIBUTES.has(wordsOf(subject.replace(/ (?:of|for|in) .*$/i, '')).at(-1) ?? '')

const ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    'port host branch name owner default editor language framework version format style timezone zone manager runner ' +
    'reviewer lead region theme limit timeout maintainer level mode password engine provider prefix suffix shell ' +
    'registry license encoding locale currency cadence deadline address author contact channel linter formatter bundler'
  ).split(' '),
)

/** The same words, with and without a "not": "use yarn" and "do not use yarn". */
function polarityOf(sentence: string): Attribute {
  const words = wordsOf(sentence.toLowerCase().replaceAll(/n['’]t\b/g, ' not'))
  const flips = words.filter((word) => NEGATION.has(word) || OPPOSITES.has(word)).length
  const rest = words
    .filter((word) => !NEGATION.has(word) && !FILLERS.has(word))
    .map((word) => stem(POSITIVE.get(word) ?? word))
  return { topic: `± ${rest.join(' ')}`, value: flips % 2 === 0 ? 'yes' : 'no' }
}

const NEGATION: ReadonlySet<string> = new Set(['not', 'never', 'no', 'without', 'dont', 'cannot', 'avoid'])

/** Of each pair the second says "not" to the first. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['enabled', 'disabled'],
  ['enable', 'disable'],
  ['on', 'off'],
  ['true', 'false'],
  ['required', 'optional'],
  ['allowed', 'forbidden'],
  ['allow', 'forbid'],
  ['public', 'private'],
  ['supported', 'unsupported'],
]
const POSITIVE = new Map(PAIRS.map(([yes, no]) => [no, yes]))
const OPPOSITES: ReadonlySet<string> = new Set(POSITIVE.keys())

const has = (sentence: string, list: ReadonlySet<string>): boolean =>
  wordsOf(sentence.replaceAll(/n['’]t\b/g, ' not')).some((word) => list.has(word))

/** Words that change nothing about what is said. */
const FILLERS: ReadonlySet<string> = new Set(
  'the a an this that our my your its to do does did is are was were be been we i always please should must now'.split(
    ' ',
  ),
)

const toKey = (text: string): string =>
  wordsOf(text)
    .filter((word) => !DETERMINERS.has(word))
    .map(stem)
    .join(' ')

const DETERMINERS: ReadonlySet<string> = new Set('the a an our my your this now currently'.split(' '))
