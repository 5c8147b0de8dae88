/**
 * What a recogniser makes of the lines a command printed: what failed, where in the output that stands, which lines are of
 * no use to the reader, and what the tool itself counted. Line numbers count from 0; ranges end before `to`.
 */
export type Finding = {
  /** What failed, as the tool names it; absent where the first line says so itself. */
  readonly title?: string
  readonly from: number
  readonly to: number
  /** Shown when there is room beside the others. */
  readonly isMinor?: boolean
}

/** As the tool printed it. A count that was not printed is absent, never guessed. */
export type Count = {
  readonly noun: 'test' | 'file' | 'package' | 'error'
  readonly failed: number
  readonly total?: number
  readonly skipped?: number
  /** Counted by lines, not said by the tool: too small where some of the output was lost. */
  readonly isTally?: boolean
}

export type Reading = {
  readonly findings: readonly Finding[]
  readonly counts: readonly Count[]
  /** What passed, progress, and what says again what stands elsewhere. */
  readonly dropped: readonly number[]
}

export type Recogniser = (lines: readonly string[]) => Reading | undefined

/** Collects a reading line by line: at most one finding is open at a time. */
export class ReadingDraft {
  readonly findings: Finding[] = []
  readonly counts: Count[] = []
  readonly dropped: number[] = []
  #open: { readonly title: string | undefined; readonly from: number; readonly isMinor: boolean } | undefined

  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /** Begins with the line `from`, below its title where it has one, and ends the one before. */
  open(from: number, title?: string, isMinor = false): void {
    this.close(title === undefined ? from : from - 1)
    this.#open = { title, from, isMinor }
  }

  close(to: number): void {
    const open = this.#open
    this.#open = undefined
    if (!open || to < open.from) return
    const { title, from, isMinor } = open
    this.findings.push({ from, to, ...(title !== undefined && { title }), ...(isMinor && { isMinor }) })
  }

  drop(line: number): void {
    this.dropped.push(line)
  }

  /** Nothing where nothing of the tool was found. */
  end(lines: number): Reading | undefined {
    this.close(lines)
    const { findings, counts, dropped } = this
    return findings.length > 0 || counts.length > 0 ? { findings, counts, dropped } : undefined
  }
}

export const indentOf = (line: string): number => line.length - line.trimStart().length

export const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ''

/** Each title once: tools print their failures where they happen and again at the end. The longer text is the better. */
export function withoutRepeats(findings: readonly Finding[]): {
  readonly findings: readonly Finding[]
  readonly repeats: readonly Finding[]
} {
  const best = new Map<string, Finding>()
  for (const finding of findings) {
    if (finding.title === undefined) continue
    const known = best.get(finding.title)
    if (!known || finding.to - finding.from > known.to - known.from) best.set(finding.title, finding)
  }
  const isKept = (finding: Finding): boolean =>
    finding.title === undefined || best.get(finding.title) === finding
  return { findings: findings.filter(isKept), repeats: findings.filter((finding) => !isKept(finding)) }
}

/** All lines of some findings. */
export const linesOf = (findings: readonly Finding[]): readonly number[] =>
  findings.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index))

/** `3 failed, 1 skipped, 12 passed`: the number before each word, in any order. */
export function numbersIn(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [, number = '', word = ''] of text.matchAll(/(\d+) ([a-z]+)/gi)) {
    const key = word.toLowerCase()
    found.set(key, (found.get(key) ?? 0) + Number(number))
  }
  return found
}
