/** What a server's tool gave back, as a text for the model: bounded, plain, and a failure where the server says so. */
import { z } from 'zod'
import { BoundedOutput } from '../lib/bounded-output.ts'
import type { ToolResult } from '../protocol/tool.ts'

const part = z.object({
  type: z.string(),
  text: z.string().exactOptional(),
  mimeType: z.string().exactOptional(),
  uri: z.string().exactOptional(),
  data: z.string().exactOptional(),
  resource: z
    .object({ uri: z.string(), mimeType: z.string().exactOptional(), text: z.string().exactOptional() })
    .exactOptional(),
})
type Part = z.output<typeof part>

/** Whatever does not look like this is no result; the model is told so. */
export const callResultSchema = z.object({
  content: z.array(part).max(10_000).default([]),
  structuredContent: z.record(z.string(), z.unknown()).exactOptional(),
  isError: z.boolean().default(false),
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
    return { ok: false, code: 'failed', text: text || 'The server says that it failed, and not why.' }
  return { ok: true, text: text || '(no output)' }
}

/** Pictures, sounds and links are named: a tool result is text. */
function toText({ type, text, mimeType, uri, data, resource }: Part): string {
  if (type === 'text') return text ?? ''
  const kind = mimeType ?? resource?.mimeType ?? 'unknown type'
  if (type === 'resource' && resource) {
    const { uri: place, text: inside } = resource
    return inside === undefined ? `[resource ${place}, ${kind}: not text]` : `[resource ${place}]\n${inside}`
  }
  if (type === 'resource_link') return `[resource ${uri ?? 'without an address'}, ${kind}]`
  return `[${type}, ${kind}, ${Math.floor(((data ?? '').length * 3) / 4)} bytes: cannot be shown here]`
}
