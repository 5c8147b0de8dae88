/**
 * How likely a call is what the request asks for, after everything that is known of it: nano's certainty, the verdict on the action, the
 * rankings of its arguments and what the words say. Learned from calls for writers that neither the weights nor the rankings know. Pure.
 */
export type Grounds = {
  /** The tool; to append is a tool of its own. */
  readonly tool: string
  /** Whether nano wrote this very call, another one, or was not asked. */
  readonly written: 'same' | 'other' | 'none'
  /** How certain nano was of what it wrote: the least certain choice. */
  readonly sure: number
  /** How likely the action is after both opinions. */
  readonly agreement: number
  /** How likely its arguments are in the opinion of the rankings; nothing where none knows them. */
  readonly support?: number
  /** What the request's words have for and against it. */
  readonly marks: readonly string[]
}

export type TrustCandidate = { readonly isRight: boolean; readonly signs: readonly string[] }

/** A call against its absence: two candidates of one ranking. */
export const trustCandidates = (grounds: Grounds): TrustCandidate[] => [
  { isRight: true, signs: signsOf(grounds) },
  { isRight: false, signs: [] },
]

function signsOf({ tool, written, sure, agreement, support, marks }: Grounds): string[] {
  const witnesses = [
    ...upTo(`nano ${written}`, sure),
    ...upTo('verdict', agreement),
    ...(support === undefined ? ['support:none'] : upTo('support', support)),
  ]
  const told = [written, ...marks]
  return [
    'any',
    tool,
    ...witnesses,
    ...upTo('least', Math.min(agreement, support ?? 1, written === 'same' ? sure : 1)),
    ...told,
    ...[...witnesses, ...told].map((sign) => `${tool} ${sign}`),
  ]
}

/** One sign for each level that is reached, so that a higher one is worth at least something of the lower ones. */
const upTo = (name: string, share: number): string[] => [
  name,
  ...LEVELS.filter((least) => share >= least).map((least) => `${name}>${least}`),
]

const LEVELS = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98, 0.995]
