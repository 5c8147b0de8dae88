/** `search_code`: places in the code by what they are about. A type is part of the query: `type:class`, `type:py`. */
import { z } from 'zod'
import { clip, plural } from '../../lib/text.ts'
import { AppError } from '../../protocol/error.ts'
import { defineTool, type Tool, type ToolContext } from '../../protocol/tool.ts'
import type { CodeAnswer, CodeIndex, CodeLocation } from './open-index.ts'
import { projectFiles } from '../project-files.ts'

const MAX_PLACES = 10

export const createSearchCode = (index: Pick<CodeIndex, 'search'>): Tool =>
  defineTool({
    name: 'search_code',
    description: 'Find code by what it does',
    category: 'search',
    input: z.object({ query: z.string(), path: z.string().default('.') }),
    paths: ['path'],
    paged: true,
    access: ({ path }) => [{ kind: 'read', target: path }],

    async run({ query, path }, context) {
      const { text, type } = readQuery(query)
      const answer = await index.search(
        { text, path, limit: MAX_PLACES, ...(type !== undefined && { type }) },
        projectFiles(context),
        context.signal,
      )
      return show(answer, query, context)
    },
  })

function readQuery(query: string): { readonly text: string; readonly type?: string } {
  const type = /(?:^|\s)type:\s*\.?(\w+)/i.exec(query)?.[1]?.toLowerCase()
  const text = query.replace(/(?:^|\s)type:\s*\.?\w+/i, ' ').trim()
  if (text !== '') return { text, ...(type !== undefined && { type }) }
  throw new AppError('tool-failed', 'query is empty; say what the code does, or give a name.', {
    failure: 'bad-arguments',
  })
}

function show({ places, coverage }: CodeAnswer, query: string, context: ToolContext): string {
  const { waiting } = coverage
  const partly = waiting > 0 ? [`[${plural(waiting, 'file')} not indexed yet; asking again goes on]`] : []
  if (places.length === 0) {
    return [`Nothing found for "${clip(query, 80)}". Try other words, or search_text.`, ...partly].join('\n')
  }
  return [...withinPage(places.map(toText), context), ...partly].join('\n')
}

const WIDTH = 160

const toText = ({ path, line, lines }: CodeLocation): string =>
  lines
    .map((text, at) =>
      at === 0 ? `${path}:${line}: ${clip(text.trim(), WIDTH)}` : `    ${clip(text.trim(), WIDTH)}`,
    )
    .join('\n')

function withinPage(texts: readonly string[], { pageTokens, countTokens }: ToolContext): readonly string[] {
  let used = 0
  const rest = texts.findIndex((text) => (used += countTokens(`${text}\n`)) > pageTokens)
  return rest === -1 ? texts : texts.slice(0, Math.max(1, rest))
}
