/** What a server gave back, as a text for the model: bounded, plain, and a failure where the server says so. */
import { z } from 'zod'
import { BoundedOutput } from '../lib/bounded-output.ts'
import type { ToolResult } from '../protocol/tool.ts'

/** Some servers write `null` for "not given". */
const word = z.string().optional().catch(undefined)

export const resourceContent = z.object({ uri: z.string(), mimeType: word, text: word })

export const contentPart = z.object({
  type: z.string(),
  text: word,
  mimeType: word,
  uri: word,
  data: word,
  resource: resourceContent.nullish(),
})
type ContentPart = z.output<typeof contentPart>

/** Anything else is not a result; the model gets an error. */
export const callResultSchema = z.object({
  content: z.array(contentPart).max(10_000).default([]),
  structuredContent: z.record(z.string(), z.unknown()).nullish(),
  isError: z.boolean().nullish(),
})

export function toToolResult({
  content,
  structuredContent,
  isError,
}: z.output<typeof callResultSchema>): ToolResult {
  const output = new BoundedOutput()
  const texts = content.map(toText)
  const isSilent = !content.some(({ type }) => type === 'text')
  if (isSilent && structuredContent) texts.push(JSON.stringify(structuredContent, null, 1))
  for (const [index, text] of texts.entries()) output.add(Buffer.from(index === 0 ? text : `\n${text}`))
  const { text } = output.take()
  if (isError)
    return { ok: false, code: 'failed', text: text || 'The server reported a failure without a reason.' }
  return { ok: true, text: text || '(no output)' }
}

/** Pictures, sounds and links are named: a tool result is text. */
export function toText({ type, text, mimeType, uri, data, resource }: Partial<ContentPart>): string {
  if (type === 'text') return text ?? ''
  const kind = mimeType ?? resource?.mimeType ?? 'unknown type'
  if (type === 'resource' && resource) {
    const { uri: place, text: inside } = resource
    return inside === undefined ? `[resource ${place}, ${kind}: not text]` : `[resource ${place}]\n${inside}`
  }
  if (type === 'resource_link') return `[resource ${uri ?? 'without an address'}, ${kind}]`
  return `[${type}, ${kind}, ${Math.floor(((data ?? '').length * 3) / 4)} bytes: cannot be shown here]`
}
