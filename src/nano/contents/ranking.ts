/**
 * What may be written to a file: every stretch of a clause, and what is made of it so that it is like the lines of the file. A linear model
 * weighs the signs. Pure.
 */
import { contentForms } from './forms.ts'
import { lookOfFile } from './look.ts'
import { contentSigns, placeOf } from './signs.ts'
import { contentSpans } from './spans.ts'

export type ContentAsk = {
  readonly clause: string
  readonly action: 'append' | 'write'
  readonly path: string
  /** What is in the file; empty for a new one. */
  readonly text: string
  /** Another part of the request follows: the clause may end with the full stop of its sentence. */
  readonly goesOn?: boolean
}

export type ContentCandidate = {
  readonly content: string
  /** The words it was made of, as they stand in the clause. */
  readonly said: string
  readonly signs: readonly string[]
}

export function contentCandidates({
  clause,
  action,
  path,
  text,
  goesOn = false,
}: ContentAsk): ContentCandidate[] {
  const look = lookOfFile(text)
  const place = placeOf({ clause, action, path, look, goesOn })
  const found = new Map<string, { readonly said: string; readonly signs: Set<string> }>()
  for (const one of contentForms(clause, contentSpans(clause), look)) {
    const content = one.text.trimEnd()
    const known = found.get(content)
    if (known && one.form !== 'row') continue
    if (known) known.signs.add('row-too')
    else {
      const said = clause.slice(one.span.start, one.span.end)
      found.set(content, { said, signs: new Set(contentSigns(one, place)) })
    }
  }
  if (action === 'write') found.set('', { said: '', signs: new Set(nothingSigns(clause)) })
  return Array.from(found, ([content, { said, signs }]) => ({ content, said, signs: [...signs] }))
}

/** An empty file. */
const nothingSigns = (clause: string): string[] => [
  'nothing',
  `nothing:${/\b(?:empty|blank|touch|nothing in it|no content)\b/i.exec(clause)?.[0].toLowerCase() ?? ''}`,
  `nothing-quote:${/["“`:]/.test(clause)}`,
]
