/** Test hands are kept for the figures of a finished model, and never read here. */
const CLOSED: ReadonlySet<string> = new Set(['backend', 'frontend', 'researcher', 'student', 'teacher'])

export function requireOpen(hands: readonly string[]): readonly string[] {
  const closed = hands.find((hand) => CLOSED.has(hand))
  if (closed !== undefined) throw new Error(`${closed} is a test hand; choose a development hand`)
  return hands
}
