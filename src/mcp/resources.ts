/** What a server has to be read, beside its tools: listed and read by one tool, which asks as every other does. */
import { z } from 'zod'
import { BoundedOutput } from '../lib/bounded-output.ts'
import type { ToolResult } from '../protocol/tool.ts'
import type { Connection } from './connection.ts'
import { resourceContent, toToolResult } from './content.ts'
import { clipCost, toOneLine } from './words.ts'

export const resourceInput = z.object({ uri: z.string().default('') })

export const resourceDescription = (server: string): string =>
  `Read a resource of ${server}; no uri lists them`

export async function useResources(
  connection: Connection,
  uri: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  if (uri.trim() === '') return listResources(connection, signal)
  const request = { method: 'resources/read', params: { uri: uri.trim() } }
  const { contents } = await connection.ask(request, readSchema, signal)
  const content = contents.map((resource) => ({ type: 'resource', resource }))
  return toToolResult({ content, isError: false })
}

const readSchema = z.object({ contents: z.array(resourceContent).max(10_000) })

/** The first page of each: further ones are read by URI. */
async function listResources(connection: Connection, signal: AbortSignal): Promise<ToolResult> {
  const { resources } = await connection.ask({ method: 'resources/list' }, listSchema, signal)
  const patterns = await connection
    .ask({ method: 'resources/templates/list' }, patternSchema, signal)
    .catch(() => ({ resourceTemplates: [] }))
  const lines = [
    ...resources.map(({ uri, name, description }) => toEntry(uri, name, description)),
    ...patterns.resourceTemplates.map(({ uriTemplate, name, description }) =>
      toEntry(uriTemplate, name, description),
    ),
  ]
  const output = new BoundedOutput()
  output.add(Buffer.from(lines.join('\n')))
  return { ok: true, text: output.take().text || 'There are no resources now.' }
}

const about = { name: z.string().max(2_000).catch(''), description: z.string().max(20_000).catch('') }
const uri = z.string().min(1).max(2_000)

const listSchema = z.object({ resources: z.array(z.object({ uri, ...about })).max(10_000) })
const patternSchema = z.object({
  resourceTemplates: z.array(z.object({ uriTemplate: uri, ...about })).max(10_000),
})

/** An address must be copied letter by letter; words about it need not be. */
const toEntry = (address: string, name: string, description: string): string =>
  `${toOneLine(address)} - ${clipCost(toOneLine(description || name), 100)}`
