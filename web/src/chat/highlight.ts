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

/** All code in an element. Returns how to stop. */
export function highlightIn(element: HTMLElement): () => void {
  const codes = [...element.querySelectorAll('pre > code')].filter(isColoured)
  if (codes.length === 0) return () => undefined
  let isOver = false
  const timer = setTimeout(() => {
    void load().then((highlighter) => {
      if (!isOver) for (const code of codes) colour(code, highlighter)
    })
  }, CALM_MS)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

const languageOf = ({ className }: Element): string => className.replace(/^language-/, '')

const isColoured = (code: Element): boolean =>
  languageOf(code) !== '' && (code.textContent?.length ?? 0) <= MOST

function colour(code: Element, highlighter: HLJSApi): void {
  const language = languageOf(code)
  if (!highlighter.getLanguage(language)) return
  code.innerHTML = highlighter.highlight(code.textContent ?? '', { language, ignoreIllegals: true }).value
}
