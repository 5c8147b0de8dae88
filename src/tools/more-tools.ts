/** Tools that are not offered from the start: found by category here, used through `call_tool`. */
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { categories, defineTool, isCategory, type Tool } from '../protocol/tool.ts'
import { toSignature } from './signature.ts'

/** `list` is asked at each call: skills and servers add tools while a session runs. */
export const createMoreTools = (list: () => readonly Tool[]): Tool =>
  defineTool({
    name: 'more_tools',
    description: 'List more tools',
    category: 'meta',
    input: z.object({ category: z.string().default('') }),

    async run({ category }) {
      const tools = list().filter(({ name }) => !HIDDEN.has(name))
      const wanted = category.trim().toLowerCase()
      if (wanted === '') return overview(tools)
      const found = tools.filter((tool) => tool.category === wanted)
      if (!isCategory(wanted) || found.length === 0) {
        throw new AppError('tool-failed', `There is no category "${category}".\n${overview(tools)}`, {
          failure: 'bad-arguments',
        })
      }
      return [...found.map(toSignature), 'Use one with call_tool {name, arguments}.'].join('\n')
    },
  })

/** They lead to tools and are no use inside each other. */
const HIDDEN = new Set(['more_tools', 'call_tool', 'select_category'])

function overview(tools: readonly Tool[]): string {
  return categories
    .map((category) => ({
      category,
      names: tools.filter((tool) => tool.category === category).map(({ name }) => name),
    }))
    .filter(({ names }) => names.length > 0)
    .map(({ category, names }) => `${category}: ${names.join(', ')}`)
    .join('\n')
}
