/** What a fetched document says, as text: the main part of a page as markdown, other text as it is. */
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'

/** Longer pages are cut before they are parsed: the parser is thorough, not fast. */
const MAX_HTML = 1024 * 1024
const MAX_MARKS = 50_000
const MAX_DEPTH = 400

export type PageText = { readonly title?: string; readonly text: string }

export function toPageText(html: string): PageText {
  const page = html.slice(0, MAX_HTML)
  if (isMonstrous(page)) return { text: withoutTags(page) }
  try {
    return toMarkdown(page)
  } catch {
    // Nested too deep for the parser; the words are still there.
    return { text: withoutTags(page) }
  }
}

/** The parser's time grows with the square of nesting and of signs; no page for people looks like that. */
function isMonstrous(html: string): boolean {
  let depth = 0
  let marks = 0
  for (const [mark] of html.matchAll(/<\/?[a-z][^<>\s/]*|[<&]/gi)) {
    if (++marks > MAX_MARKS || depth > MAX_DEPTH) return true
    if (mark.length > 1 && !NOT_NESTED.test(mark)) depth += mark.startsWith('</') ? -1 : 1
  }
  return false
}

/** Never closed, or closed by the next one. */
const NOT_NESTED =
  /^<\/?(?:area|base|br|col|dd|dt|embed|hr|img|input|li|link|meta|option|p|source|td|th|tr|track|wbr|path|circle|rect|line|use)$/i

function toMarkdown(html: string): PageText {
  const { document } = parseHTML(html)
  for (const element of document.querySelectorAll('script, style, noscript, template, iframe, svg'))
    element.remove()
  const title = document.title?.trim()
  const whole = document.body?.innerHTML ?? html
  const article = new Readability(document as unknown as ConstructorParameters<typeof Readability>[0], {
    charThreshold: 200,
  }).parse()
  const main = article?.content ?? whole
  const text = turndown.turndown(parseHTML(`<html><body>${main}</body></html>`).document.body)
  return { ...(title && { title }), text: text.trim() || withoutTags(html) }
}

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })

const withoutTags = (html: string): string =>
  html
    .replaceAll(/<[^<>]{0,2000}>/g, ' ')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim()
