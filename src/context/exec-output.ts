/**
 * Output of commands the person ran, waiting for the question it belongs to. A request that fails gives it back, so that
 * asking again still shows it.
 */
export type ExecOutput = {
  add(output: string): void
  /** All of it, oldest first; it waits no longer. */
  take(): string
  /** What was taken for a request that failed: it stands before what came since. */
  giveBack(taken: string): void
  clear(): void
}

/** Enough for any log a person means to ask about; beyond, the oldest goes. */
const MAX_CHARACTERS = 1_000_000

export function createExecOutput(): ExecOutput {
  let waiting = ''
  const keep = (text: string) => {
    const over = text.length - MAX_CHARACTERS
    waiting = over > 0 ? `[… ${over} characters left out …]\n${text.slice(over)}` : text
  }
  return {
    add: (output) => keep(joinLines(waiting, output)),
    take() {
      const taken = waiting
      waiting = ''
      return taken
    },
    giveBack: (taken) => keep(joinLines(taken, waiting)),
    clear: () => keep(''),
  }
}

export const withExecOutput = (output: string, question: string): string =>
  output === '' ? question : `[exec output]\n${output}\n\n${question}`

const joinLines = (first: string, second: string): string =>
  [first, second]
    .map((text) => text.replace(/\n+$/, ''))
    .filter(Boolean)
    .join('\n')
