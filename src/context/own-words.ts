/** The person's words without what was put in front of them. */
export const ownWords = (text: string): string =>
  text
    .replace(PRECEDING, '')
    .replace(/^\[exec output\]\n.*\n\n/s, '')
    .trim()

/** Paragraphs of sources, by how they begin: a line in brackets, what the last session was about, the plan. */
const PRECEDING =
  /^(?:(?:\[(?!Image: |exec output\])[^\n]*\]|Last session \(|Plan \()[^\n]*\n(?:[^\n]+\n)*\n+)+/
