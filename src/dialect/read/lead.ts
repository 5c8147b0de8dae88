/** What the words before a possible call say about it: whether the model acts, or talks about acting. */

export type Lead = {
  readonly isEmpty: boolean
  /** Says that it acts: "Let me look at it." */
  readonly intends: boolean
  /** Talks about calls rather than making one. */
  readonly illustrates: boolean
  /** And promises a specimen: by a colon, a heading or a word. */
  readonly announces: boolean
  readonly colon: boolean
  /** Speaks to someone about something of theirs. */
  readonly addresses: boolean
}

/** Announces an illustration. */
const SHOWS = new RegExp(
  [
    String.raw`\b(?:for example|for instance|e\.g\b|i\.e\b|such as|as follows|namely)`,
    String.raw`\bexamples?\b(?:\s+(?:of|call|usage|output|request|response|format|tool|invocation)\b|[^.!?\n]{0,24}$)`,
    String.raw`\b(?:look|looks|looked|looking)\s+(?:something\s+)?like\b`,
    String.raw`\blike\s+(?:this|so|these|the following)\b`,
    String.raw`\b(?:format|syntax|schema|documentation|docs|documented|readme|usage|specification|spec|snippet|sample|template|placeholder|tutorial|changelog|test case|fixture|transcript|quote[sd]?|verbatim|literal(?:ly)?|notation|convention|grammar|structure|shape|payload|demonstration|illustrat\w+)\b[^.!?\n]{0,60}$`,
    String.raw`\b(?:written|shown|known|defined|expressed|encoded|represented|rendered|serialised|serialized) (?:as|like)\b`,
    String.raw`\bhow (?:to|you|one|it|a|an|the)\b`,
  ].join('|'),
  'i',
)

/** Talks about calls: what someone can, would or did write. */
const TELLS = new RegExp(
  [
    String.raw`\b(?:would|could|should|must|can|may|might|shall)\s+(?:then\s+|also\s+|be\s+|have\s+|not\s+){0,3}(?:be|look|write|emit|output|produce|call|invoke|use|send|return|respond|reply|see|run|pass|generate|print|type|contain|appear|get|put|wrap|become)\w*\b`,
    String.raw`\b(?:you|users?|one|we|they|developers?|callers?|clients?)\s+(?:can|could|should|may|must|would|need|have to|want|will|write|call|use|send|get|see|do)\b`,
    String.raw`\b(?:the|an?|another|each|every|some|most|this|that|these|those|your|many|small|other)\s+(?:[\w-]+\s+){0,2}(?:models?|assistants?|agents?|servers?|parsers?|templates?|llms?|clients?)\s+(?:will\s+|then\s+|may\s+|often\s+|usually\s+|also\s+|sometimes\s+|wrongly\s+)?(?:write|wrote|emit|output|produce|generate|return|respond|send|sent|print|answer|say|said|expect|read|call|use|reply|replie|wrap)\w*\b`,
    String.raw`\b(?:never|don't|do not|instead of|rather than|avoid|not to|wrong|incorrect|invalid|malformed|broken|bad|mistake|bug|logs?|logged|says|said|reads|wrote|contains?|means|meant|equals|string|pattern|regex|explain(?:s|ed)?|describe[sd]?|discuss(?:es|ed)?)\b[^.!?\n]{0,60}$`,
  ].join('|'),
  'i',
)

/** Said by a model that is about to act. */
const INTENDS =
  /\b(?:i['’]ll|i will|i['’]m|i am|let me|let['’]s|now i|first,? i|next,? i|i need|i should|i have to|i want)\b|^\W*(?:(?:sure|ok|okay|certainly|alright|of course|great|good|right|yes|now)[,.!]?\s+)?(?:calling|reading|running|searching|checking|looking|opening|using the|next|now|step \d|tool call|function call|here(?:['’]s| is) (?:the|my) (?:\w+ )?(?:tool |function )?call)\b/i

/** What it is about to do is to explain. */
const EXPLAINS =
  /\b(?:show|explain|give|illustrate|demonstrate|describe|clarify|tell|walk) (?:you|how|what|why|the (?:format|syntax|structure|idea))\b|\b(?:explain|illustrate|demonstrate|describe)\b/i

/** Headings of a model at work. */
const STEP = /^\W*(?:step \d|(?:tool|function) call$|action\b|next step)/i

/** A section of a document rather than a sentence: a heading, a bold line, a tag. */
const HEADING = /(?:^|\n)(?:#{1,6} [^\n]*|\*\*[^*\n]+\*\*:?|<\/?[a-z][^>\n]*>(?:[^\n]*>)?)\s*$/i

const SPECIMEN = /\b(?:samples?|examples?|snippets?|specimens?|illustrations?|demonstrations?)\b/i

/** What calls are talked about with; a line with one of these and a colon announces a specimen. */
const SUBJECT =
  /\b(?:calls?|calling|json|representation|requests?|repl(?:y|ies)|responses?|outputs?|logs?|turns?|prompts?|tests?|parsers?|agents?|models?|assistants?|tools?|functions?|arguments)\b/i

export function judgeLead(lead: string): Lead {
  const sentence = lastSentence(lead)
  const words = sentence.replace(/[\s.:!?*_`]+$/, '')
  const colon = /:[\s*_`]*$/.test(sentence)
  const heading = HEADING.test(lead)
  const intends = heading ? STEP.test(words) : INTENDS.test(words) && !EXPLAINS.test(words)
  const talks = SHOWS.test(words) || TELLS.test(words) || (colon && SUBJECT.test(words))
  const illustrates = ((talks || heading) && !intends) || isTranscript(lead)
  return {
    isEmpty: lead.trim() === '',
    intends: intends && !illustrates,
    illustrates,
    announces: illustrates && (colon || heading || SPECIMEN.test(words)),
    colon,
    addresses: /\byou(?:r|rs)?\b/i.test(words),
  }
}

/** Lines of a conversation that was announced as an example: its thoughts are not the model's own. */
function isTranscript(lead: string): boolean {
  const lines = lead.split('\n')
  const announced = lines.findLastIndex((line) => /\S.*:\s*$/.test(line) && !/^\s*\w+:\s*$/.test(line))
  if (announced === -1 || INTENDS.test(lines[announced] ?? '')) return false
  const between = lines.slice(announced + 1).filter((line) => line.trim() !== '')
  return (
    between.length > 0 &&
    between.every((line) => /^\s*(?:thought|question|user|assistant|human|observation)\b/i.test(line))
  )
}

/** The sentence a call stands behind, or the line when it ends in a colon. */
function lastSentence(lead: string): string {
  const text = lead.trimEnd()
  const from = Math.max(
    text.lastIndexOf('\n\n'),
    ...['. ', '! ', '? ', '.\n', '!\n', '?\n'].map((end) => text.lastIndexOf(end, text.length - 2)),
  )
  return text.slice(from + 1).slice(-200)
}
