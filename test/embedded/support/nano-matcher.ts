import { loadEngine } from '../../../src/embedded/llama.ts'

/** Whether a text is all that a grammar allows, from its first letter to its last. */
export type Matcher = (grammar: string) => (text: string) => boolean

export async function createMatcher(): Promise<Matcher> {
  const { llama, library } = await loadEngine()
  return (grammar) => {
    const parsed = new library.LlamaGrammar(llama, { grammar }) as unknown as {
      _testText(text: string): boolean
    }
    return (text) => parsed._testText(text)
  }
}
