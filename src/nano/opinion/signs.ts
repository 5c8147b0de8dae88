/** What a request looks like to the linear classifier: runs of up to three words, how it begins, how long it is. Pure. */
import { clausesOf, startsOrder } from '../request/clauses.ts'
import { around, signIn } from '../intent/mood.ts'
import { ordersAct } from '../intent/order.ts'
import { factsIn } from '../commands/facts.ts'
import { scriptFit } from '../commands/ranking.ts'
import { evidenceSigns } from './evidence.ts'
import type { PathProject } from '../paths/project.ts'
import { type Tokens, tokensOf } from './tokens.ts'

const LONGEST_RUN = 3

export type SignOptions = {
  readonly project: PathProject
  /** Words that many writers use. */
  readonly known: ReadonlySet<string>
  /** It is a part of a request whose earlier parts are done. */
  readonly isLater?: boolean
}

export function signsOf(request: string, { project, known, isLater = false }: SignOptions): Set<string> {
  const signs = new Set<string>()
  const { vocabulary } = project
  const whole = tokensOf(request, vocabulary, known)
  addRuns(signs, whole, '')
  const [first = request, ...others] = clausesOf(request)
  addRuns(signs, tokensOf(first, vocabulary, known), 'first:')
  signs.add(`length:${Math.min(6, Math.floor(whole.plain.length / 6))}`)
  signs.add(`clauses:${Math.min(3, others.length + 1)}`)
  const sentences = sentencesOf(request)
  if (sentences.length > 1) addRuns(signs, tokensOf(sentences.at(-1) ?? '', vocabulary, known), 'last:')
  signs.add(`sentences:${Math.min(4, sentences.length)}`)
  for (const sign of orderSigns(sentences)) signs.add(sign)
  const mood = signIn(around(NO_CALL, request), NO_CALL)
  signs.add(`mood:${mood ?? 'none'}`)
  for (const { name } of factsIn(request)) signs.add(`fact:${name}`)
  if (isLater) {
    signs.add('later')
    signs.add(`script:${scriptFit(request, project) > SCRIPT_NAMED}`)
  } else if (project.files.length > 0) for (const sign of evidenceSigns(request, project)) signs.add(sign)
  return signs
}

/** Most of a script's name is said. */
const SCRIPT_NAMED = 0.6

const NO_CALL = { name: 'edit_file', input: {} }

const sentencesOf = (request: string): string[] =>
  request
    .split(/(?<=[.!?;])\s+|\n+|\s[-–—]+\s/)
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** In which of the sentences something is ordered, and with which verb. */
function orderSigns(sentences: readonly string[]): string[] {
  const orders = sentences.flatMap((sentence, at) => {
    if (!startsOrder(sentence) && !ordersAct(sentence)) return []
    const place = at === 0 ? 'first' : at === sentences.length - 1 ? 'last' : 'middle'
    const verb = /[a-z]+/i.exec(sentence.replace(POLITE, ''))?.[0]?.toLowerCase() ?? ''
    return [`ordered:${place}`, `order:${verb}`, `order:${place}:${verb}`]
  })
  return orders.length > 0 ? orders : [`unordered sentences:${Math.min(3, sentences.length)}`]
}

const POLITE =
  /^[\s\W]*(?:(?:please|pls|plz|kindly|hey|ok|okay|now|then|next|first|just|also|and|so|can you|could you|would you|let's|lets|go ahead and)[\s,:]+)*/i

function addRuns(signs: Set<string>, { spelled, plain }: Tokens, prefix: string): void {
  for (const [mark, words] of [
    ['=', spelled],
    ['~', plain],
  ] as const) {
    const marked = ['^', ...words, '$']
    for (let count = 1; count <= LONGEST_RUN; count++)
      for (let at = 0; at + count <= marked.length; at++)
        signs.add(`${prefix}${mark}${marked.slice(at, at + count).join(' ')}`)
  }
}
