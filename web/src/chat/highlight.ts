/** Colours for code, loaded when the first code is shown. What highlight.js returns is its own tags around escaped text. */
import type { HLJSApi } from 'highlight.js'

let loading: Promise<HLJSApi> | undefined

const load = (): Promise<HLJSApi> => {
  loading ??= import('./languages.ts').then(({ highlighter }) => highlighter)
  return loading
}

/** Longer code is shown plain: colouring it would take longer than a frame. */
const MOST = 20_000
/** While it is still being written it stays plain. */
const CALM_MS = 150

/** Returns how to stop. */
export function highlightIn(element: HTMLElement, text: string): () => void {
  const code = element.querySelector('pre > code')
  const language = code?.className.replace(/^language-/, '') ?? ''
  if (!code || text.length > MOST || language === '') return () => undefined
  let isOver = false
  const timer = setTimeout(() => {
    void load().then((highlighter) => {
      if (isOver || !highlighter.getLanguage(language)) return
      code.innerHTML = highlighter.highlight(text, { language, ignoreIllegals: true }).value
    })
  }, CALM_MS)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
