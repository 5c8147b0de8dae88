import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message } from '../../src/protocol/message.ts'
import { type ExportInput, exportSession } from '../../src/session/export.ts'
import { call } from './support.ts'
import { runs } from '../support/runs.ts'

const info = {
  id: '20261115-0447-k3f9',
  title: 'Read it',
  cwd: '/project',
  createdAt: 0,
  updatedAt: 1,
  messages: 4,
}
const messages: Message[] = [
  { role: 'user', text: 'Read it.', images: [{ mediaType: 'image/png', base64: 'AA==', path: 'a.png' }] },
  { role: 'assistant', text: '', calls: [call('c1')], reasoning: 'Look first.' },
  { role: 'tool', callId: 'c1', text: '```\nfenced\n```', ok: false, code: 'exit-code' },
  { role: 'assistant', text: 'It is *fenced*.', calls: [] },
]
const conversation: ExportInput = { info, system: 'You are covey.', messages }

/** Strings that break naive writers. */
const naughty = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</pre></div><h1>',
  '&lt;script&gt;',
  '\u001B[2J\u001B]0;title\u0007',
  '\u009B31m',
  '\u0000\u0008\u007F',
  '\u202Egnp.exe',
  '\ud800',
  '````\n# heading\n````',
  ']]><!--',
  'javascript:alert(1)',
]

test('markdown reads from top to bottom', () => {
  expect(exportSession(conversation, 'markdown')).toBe(`# Read it

Session 20261115-0447-k3f9 in /project, begun 1970-01-01T00:00:00.000Z, 4 messages.

## user

Read it.
[Image: a.png]

## reasoning

Look first.

## call read_file

\`\`\`
{"path":"a.txt"}
\`\`\`

## failed (exit-code)

\`\`\`\`
\`\`\`
fenced
\`\`\`
\`\`\`\`

## assistant

It is *fenced*.
`)
})

test('JSON says everything', () => {
  expect(JSON.parse(exportSession(conversation, 'json'))).toEqual({
    session: info,
    system: 'You are covey.',
    messages,
  })
})

test('HTML is one file without scripts or foreign resources', () => {
  const html = exportSession(conversation, 'html')

  expect(html).toContain('<title>Read it</title>')
  expect(html).toContain('<pre>{&#34;path&#34;:&#34;a.txt&#34;}</pre>')
  expect(html).not.toMatch(/<script|<link|<img|https?:/)
})

const strings = fc.oneof(fc.constantFrom(...naughty), fc.string({ unit: 'binary' }))

/** The same naughty text everywhere a text can stand. */
const everywhere = (text: string): ExportInput => ({
  info: { ...info, title: text, cwd: text },
  messages: [
    { role: 'user', text, images: [{ mediaType: text, base64: '' }] },
    { role: 'assistant', text, calls: [{ id: text, name: text, input: text }], reasoning: text },
    { role: 'tool', callId: text, text, ok: true },
  ],
})

test('no text gets out of its place in HTML', () => {
  const tags = (html: string) => html.match(/<[^>]*>/g)
  const plain = tags(exportSession(everywhere('x'), 'html'))

  fc.assert(
    fc.property(strings, (text) => {
      expect(tags(exportSession(everywhere(`x${text}`), 'html'))).toEqual(plain)
    }),
    { numRuns: runs(100, 500) },
  )
})

test('no control character gets through in any format, and JSON loses nothing', () => {
  fc.assert(
    fc.property(strings, fc.constantFrom('markdown', 'json', 'html'), (text, format) => {
      const written = exportSession(everywhere(text), format)

      expect(written).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/)
      if (format !== 'json') return
      const { info: session, messages: said } = everywhere(text)
      expect(JSON.parse(written)).toEqual({ session, messages: said })
    }),
    { numRuns: runs(100, 500) },
  )
})
