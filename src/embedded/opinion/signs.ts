/** What a request looks like to the linear classifier: runs of up to three words, how it begins, how long it is. Pure. */
import { clausesOf } from '../nano/clauses.ts'
import { type ProjectWords, type Tokens, tokensOf } from './tokens.ts'

const LONGEST_RUN = 3

export type SignOptions = {
  readonly project: ProjectWords
  /** Words that many writers use. */
  readonly known: ReadonlySet<string>
  /** It is a part of a request whose earlier parts are done. */
  readonly isLater?: boolean
}

export function signsOf(request: string, { project, known, isLater = false }: SignOptions): Set<string> {
  const signs = new Set<string>()
  const whole = tokensOf(request, project, known)
  addRuns(signs, whole, '')
  const [first = request, ...others] = clausesOf(request)
  addRuns(signs, tokensOf(first, project, known), 'first:')
  signs.add(`length:${Math.min(6, Math.floor(whole.plain.length / 6))}`)
  signs.add(`clauses:${Math.min(3, others.length + 1)}`)
  if (isLater) signs.add('later')
  return signs
}

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
