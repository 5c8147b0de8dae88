/** Ends a reply where one of the stop texts begins, and holds back what may still turn out to be the start of one. */
export type StopWatch = {
  push(text: string): { readonly text: string; readonly stopped: boolean }
  /** What was held back and is text after all. */
  end(): string
}

export function createStopWatch(stops: readonly string[]): StopWatch {
  const wanted = stops.filter((stop) => stop !== '')
  let held = ''
  return {
    push(text) {
      const all = held + text
      const found = wanted.map((stop) => all.indexOf(stop)).filter((at) => at >= 0)
      if (found.length > 0) {
        held = ''
        return { text: all.slice(0, Math.min(...found)), stopped: true }
      }
      const keep = Math.max(0, ...wanted.map((stop) => overlap(all, stop)))
      held = keep === 0 ? '' : all.slice(-keep)
      return { text: all.slice(0, all.length - keep), stopped: false }
    },
    end() {
      const rest = held
      held = ''
      return rest
    },
  }
}

/** How much of the beginning of `stop` stands at the end of `text`. */
function overlap(text: string, stop: string): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length--) {
    if (text.endsWith(stop.slice(0, length))) return length
  }
  return 0
}
