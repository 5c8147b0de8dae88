/** Tools that are not offered from the start: found by category here, used through `call_tool`. */
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { categories, defineTool, type Tool, type ToolContext } from '../protocol/tool.ts'
import { toPage } from './page.ts'
import { leadsToTools, toSignature } from './signature.ts'

/** `list` is asked at each call: skills and servers add tools while a session runs. */
export const createMoreTools = (list: () => readonly Tool[]): Tool =>
  defineTool({
    name: 'more_tools',
    description: 'List more tools',
    category: 'meta',
    input: z.object({ category: z.string().default('') }),
    paged: true,

    async run({ category }, context) {
      const tools = list().filter((tool) => !leadsToTools(tool))
      const wanted = category.trim().toLowerCase()
      if (wanted === '') return overview(tools)
      const found = tools.filter((tool) => isMeant(tool, wanted))
      if (found.length > 0) return show(found, context)
      throw new AppError('tool-failed', `There is no category "${category}".\n${overview(tools)}`, {
        failure: 'bad-arguments',
      })
    },
  })

/** A name, or its beginning, does as well: a server may bring two hundred tools into one category. */
const isMeant = (tool: Tool, wanted: string): boolean =>
  tool.category === wanted || (wanted.length >= MIN_NAME && tool.name.toLowerCase().startsWith(wanted))

const MIN_NAME = 4

/** In one line each where they all fit; else a part of them, and of the others the names, which can be asked for. */
function show(tools: readonly Tool[], context: ToolContext): string {
  const signatures = tools.map(toSignature)
  const fits = (share: number): readonly string[] =>
    toPage(signatures, 1, { ...context, pageTokens: context.pageTokens * share }).lines
  const shown = fits(1).length === tools.length ? signatures : fits(0.5)
  const others = tools.slice(shown.length).map(({ name }) => name)
  const rest = others.length > 0 ? [`${namesText(others)}: their names as category show more`] : []
  return [...shown, ...rest, 'Use one with call_tool {name, arguments}.'].join('\n')
}

const MOST_NAMES = 30

const namesText = (names: readonly string[]): string =>
  names.slice(0, MOST_NAMES).join(', ') +
  (names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '')

function overview(tools: readonly Tool[]): string {
  return categories
    .map((category) => ({
      category,
      names: tools.filter((tool) => tool.category === category).map(({ name }) => name),
    }))
    .filter(({ names }) => names.length > 0)
    .map(({ category, names }) => `${category}: ${namesText(names)}`)
    .join('\n')
}
