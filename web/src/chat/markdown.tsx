/**
 * An answer as markdown. Nothing of what a model writes is HTML: tags are shown as they are written, and what marked
 * makes of the rest goes through DOMPurify with a short list. Each block is drawn on its own, so that a growing answer
 * only draws its last one anew.
 */
import DOMPurify from 'dompurify'
import { Marked, type Token, type Tokens } from 'marked'
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

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => toBlocks(text), [text])
  return (
    <div className="markdown">
      {blocks.map(({ token, raw }, index) => (
        <Block key={index} token={token} raw={raw} />
      ))}
    </div>
  )
}

type MarkdownBlock = { readonly token: Token; readonly raw: string }

function toBlocks(text: string): readonly MarkdownBlock[] {
  const tokens = marked.lexer(clean(text))
  return tokens.filter(({ type }) => type !== 'space').map((token) => ({ token, raw: token.raw }))
}

/** Two tokens of the same text are the same block. */
const Block = memo(
  function Block({ token }: MarkdownBlock) {
    const element = useRef<HTMLDivElement>(null)
    const html = toHtml(token)
    useEffect(() => {
      const { current } = element
      if (current && token.type === 'code') return highlightIn(current, (token as Tokens.Code).text)
    }, [html, token])
    return <div className="block" ref={element} dangerouslySetInnerHTML={{ __html: html }} />
  },
  (before, after) => before.raw === after.raw,
)

const toHtml = (token: Token): string => DOMPurify.sanitize(marked.parser([token]), ALLOWED)
