import type { Interface } from 'node:readline/promises'

/** One line of a person. Nothing when they ended the input; Ctrl+C at an empty prompt ends it too. */
export async function readLine(terminal: Interface, prompt: string): Promise<string | undefined> {
  const closed = new AbortController()
  const close = () => closed.abort()
  terminal.once('close', close)
  terminal.once('SIGINT', close)
  try {
    return (await terminal.question(prompt, { signal: closed.signal })).trim()
  } catch {
    return undefined
  } finally {
    terminal.off('close', close)
    terminal.off('SIGINT', close)
  }
}
