/**
 * A conversation as a document: markdown to read, JSON to process, one HTML file to show. Pure. Control characters of
 * models and tools are shown, not passed on: an export is often printed on a terminal.
 */
import { cleanControl, cleanJson } from '../lib/clean.ts'
import type { Message } from '../protocol/message.ts'
import type { SessionInfo } from '../protocol/session-api.ts'

export type ExportFormat = 'markdown' | 'json' | 'html'

export type ExportInput = {
  readonly info: SessionInfo
  readonly system?: string
  readonly messages: readonly Message[]
}

export function exportSession(input: ExportInput, format: ExportFormat): string {
  return writers[format](input)
}

const writers: Readonly<Record<ExportFormat, (input: ExportInput) => string>> = {
  markdown: ({ info, messages }) =>
    [`# ${title(info)}`, about(info), ...messages.flatMap(toParts).map(partToMarkdown)].join('\n\n') + '\n',
  json: ({ info, system, messages }) =>
    `${cleanJson(JSON.stringify({ session: info, system, messages }, null, 2))}\n`,
  html: toHtml,
}

const title = ({ title, id }: SessionInfo): string => cleanControl(title || id)

const about = ({ id, cwd, createdAt, messages }: SessionInfo): string =>
  cleanControl(`Session ${id} in ${cwd}, begun ${new Date(createdAt).toISOString()}, ${messages} messages.`)

/** One heading and what stands under it; `isCode` for what must be shown letter by letter. */
type Part = { readonly heading: string; readonly text: string; readonly isCode: boolean }

function toParts(message: Message): Part[] {
  if (message.role === 'user') {
    const images = (message.images ?? []).map(({ path, mediaType }) => `[Image: ${path ?? mediaType}]`)
    return [part(message.origin ?? 'user', [message.text, ...images].join('\n'))]
  }
  if (message.role === 'tool')
    return [part(message.ok ? 'result' : `failed (${message.code ?? 'failed'})`, message.text, true)]
  return [
    ...(message.reasoning ? [part('reasoning', message.reasoning)] : []),
    ...(message.text ? [part('assistant', message.text)] : []),
    ...message.calls.map(({ name, input }) => part(`call ${name}`, input, true)),
  ]
}

const part = (heading: string, text: string, isCode = false): Part => ({
  heading: cleanControl(heading).replaceAll('\n', ' '),
  text: cleanControl(text.replaceAll('\r\n', '\n')),
  isCode,
})

function partToMarkdown({ heading, text, isCode }: Part): string {
  if (!isCode) return `## ${heading}\n\n${text}`
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `## ${heading}\n\n${fence}\n${text}\n${fence}`
}

/** Of back-ticks, so that the fence around them is longer. */
function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** One file, no scripts, nothing loaded from elsewhere. */
function toHtml({ info, messages }: ExportInput): string {
  const name = escapeHtml(title(info))
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${name}</title>
<style>
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
h2 { margin: 2rem 0 0.5rem; font-size: 0.85rem; color: GrayText }
div { white-space: pre-wrap; overflow-wrap: anywhere }
pre { padding: 0.75rem; overflow: auto; border: 1px solid GrayText; border-radius: 4px }
:root { color-scheme: light dark }
</style>
<h1>${name}</h1>
<p>${escapeHtml(about(info))}</p>
${messages.flatMap(toParts).map(partToHtml).join('\n')}
</html>
`
}

function partToHtml({ heading, text, isCode }: Part): string {
  const tag = isCode ? 'pre' : 'div'
  return `<h2>${escapeHtml(heading)}</h2>\n<${tag}>${escapeHtml(text)}</${tag}>`
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
