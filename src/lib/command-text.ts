/**
 * A shell command without what only bends its output: `npm test 2>&1 | tail -20` is `npm test`. So that the same command
 * written twice in different ways is known to be the same. No parser: what it does not understand it leaves as it is.
 */

/** Programs that only pass on what they are given, or a part of it. */
const FILTER = /^(?:tail|head|grep|egrep|rg|less|more|cat|tee|sed|awk|sort|uniq|wc|cut|tr|column|nl|fold)\b/

export function plainCommand(command: string): string {
  const steps = splitOutside(command, /;|&&|\|\||\n/y)
  const real = steps.filter(({ text }) => !isAside(text))
  // Several real steps are compared as they are: which of them failed is not known.
  const plain =
    real.length > 1 ? steps.map(({ text, end }) => `${plainStep(text)} ${end}`.trim()).join(' ') : ''
  return (plain || plainStep(real[0]?.text ?? command)).trim()
}

/** Whether a filter's exit code stands for the command's. */
export function isFiltered(command: string): boolean {
  const steps = splitOutside(command, /;|&&|\|\||\n/y).filter(({ text }) => text.trim() !== '')
  const last = steps.at(-1)?.text.trim() ?? ''
  return splitOutside(last, /\|(?!\|)/y).length > 1 || (steps.length > 1 && isAside(last))
}

/** Steps that look at output or tidy up, and say nothing of their own. */
const isAside = (step: string): boolean =>
  step.trim() === '' ||
  /^(?:echo|printf|true|rm|sleep|clear|set)\b/.test(step.trim()) ||
  FILTER.test(step.trim())

function plainStep(step: string): string {
  const [first = step, ...piped] = splitOutside(step, /\|(?!\|)&?/y).map(({ text }) => text)
  const kept = piped.slice(0, piped.findLastIndex((text) => !FILTER.test(text.trim())) + 1)
  return [first, ...kept].map((text) => withoutRedirections(text)).join(' | ')
}

const withoutRedirections = (text: string): string =>
  splitOutside(text, /(?:\d|&)?>{1,2}(?:&\d|&-|\s*[^\s'"|;&]+)/y)
    .map((piece) => piece.text.trim())
    .filter(Boolean)
    .join(' ')

type Piece = { readonly text: string; /** What ended it. */ readonly end: string }

/** Cut wherever `mark` matches outside quotes; it needs the sticky flag. */
function splitOutside(text: string, mark: RegExp): Piece[] {
  const pieces: Piece[] = []
  let start = 0
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '\\' && quote !== "'") {
      at++
      continue
    }
    if (quote !== '') {
      if (character === quote) quote = ''
      continue
    }
    if (character === '"' || character === "'") {
      quote = character
      continue
    }
    mark.lastIndex = at
    const found = mark.exec(text)?.[0]
    if (!found) continue
    pieces.push({ text: text.slice(start, at), end: found })
    start = at + found.length
    at = start - 1
  }
  return [...pieces, { text: text.slice(start), end: '' }]
}
