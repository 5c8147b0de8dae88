/** Prose cut into sentences, for detectors that judge what a reply says. Dots inside paths and numbers end nothing. */
export const toSentences = (text: string): readonly string[] =>
  text
    .replaceAll(/[’‘]/g, "'")
    .split(/\n+|(?<=[.!?:…。！？：]['"»”)*_]*)\s+|(?<=[。！？：])/u)
    .map((sentence) => sentence.replace(MARKS, '').trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))

/** List bullets, headings, quotes and emphasis in front of a sentence. */
const MARKS = /^(?:[\s>#*_\-+•]|\d{1,3}[.)]\s)+/
