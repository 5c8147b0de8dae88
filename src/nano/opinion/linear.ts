/**
 * A linear classifier over many small signs of a text, with weights of one byte. It is trained in seconds from the requests by hand, and
 * it errs on other requests than the language model does. Signs are known by their hash. Pure.
 */
export type LinearModel = {
  readonly labels: readonly string[]
  /** What one step of a stored weight is worth. */
  readonly step: number
  /** Which row of the weights a sign has, by its hash. */
  readonly rows: ReadonlyMap<number, number>
  /** For each row one weight for each label. */
  readonly weights: Int8Array
}

/** FNV-1a. */
export function hashOf(sign: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < sign.length; at++) hash = Math.imul(hash ^ sign.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** How likely each label is. */
export function likelihoods({ labels, step, rows, weights }: LinearModel, signs: Iterable<string>): number[] {
  const known = Array.from(signs, (sign) => rows.get(hashOf(sign))).filter((row) => row !== undefined)
  const scale = step / Math.sqrt(Math.max(1, known.length))
  const sums = labels.map((_, label) =>
    known.reduce((sum, row) => sum + (weights[row * labels.length + label] ?? 0), 0),
  )
  return softmax(sums.map((sum) => sum * scale))
}

export function softmax(scores: readonly number[]): number[] {
  const most = Math.max(...scores)
  const powers = scores.map((score) => Math.exp(score - most))
  const sum = powers.reduce((a, b) => a + b, 0)
  return powers.map((power) => power / sum)
}
