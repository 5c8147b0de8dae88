/**
 * An answer as markdown. Nothing of what a model writes is HTML: tags are shown as they are written, and what marked
 * makes of the rest goes through DOMPurify with a short list. While an answer grows each block is drawn on its own, so that
 * only its last one is drawn anew.
 */
import DOMPurify from 'dompurify'
import { Marked } from 'marked'
import { memo, useEffect, useMemo, useRef } from 'react'
import { clean } from '../ui/text.ts'
import { highlightIn } from './highlight.ts'

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const isSafeLink = (href: string): boolean => /^(?:https?:|mailto:)/i.test(href)

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escape(text),
    // An image would tell its server that this was read.
    image: ({ href, text }) => `<code>[image ${escape(text)}: ${escape(href)}]</code>`,
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens)
      if (!isSafeLink(href)) return inner
      return `<a href="${escape(href)}" rel="noreferrer noopener" target="_blank">${inner}</a>`
    },
    code({ text, lang = '' }) {
      const language = /^[\w+#-]{1,20}$/.exec(lang.trim())?.[0] ?? ''
      return `<pre tabindex="0"><code class="language-${language}">${escape(text)}</code></pre>`
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
})

const TAGS =
  'a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre strong table tbody td th thead tr ul'

const ALLOWED = {
  ALLOWED_TAGS: TAGS.split(' '),
  ALLOWED_ATTR: ['align', 'class', 'href', 'rel', 'start', 'tabindex', 'target'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
}

/** `isLive`: it is still being written. */
export function Markdown({ text, isLive = false }: { text: string; isLive?: boolean }) {
  const blocks = useMemo(() => (isLive ? toBlocks(text) : [text]), [text, isLive])
  return (
    <div className="markdown">
      {blocks.map((block, index) => (
        <Block key={index} text={block} />
      ))}
    </div>
  )
}

const toBlocks = (text: string): readonly string[] =>
  marked.lexer(text).flatMap(({ type, raw }) => (type === 'space' ? [] : [raw]))

const Block = memo(function Block({ text }: { text: string }) {
  const element = useRef<HTMLDivElement>(null)
  const html = toHtml(text)
  useEffect(() => (element.current ? highlightIn(element.current) : undefined), [html])
  return <div className="block" ref={element} dangerouslySetInnerHTML={{ __html: html }} />
})

/** Rows that are scrolled away and back are drawn again. */
const drawn = new Map<string, string>()
const MOST_DRAWN = 500

function toHtml(text: string): string {
  const known = drawn.get(text)
  if (known !== undefined) return known
  const html = DOMPurify.sanitize(marked.parse(clean(text), { async: false }), ALLOWED)
  drawn.set(text, html)
  const [oldest] = drawn.keys()
  if (drawn.size > MOST_DRAWN && oldest !== undefined) drawn.delete(oldest)
  return html
}
