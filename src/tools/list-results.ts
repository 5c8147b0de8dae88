import { z } from 'zod'
import { defineTool } from '../protocol/tool.ts'
import { plural } from '../lib/text.ts'
import { toListText } from './page.ts'

export const listResultsTool = defineTool({
  name: 'list_results',
  description: 'List stored results',
  category: 'read',
  input: z.object({}),
  paged: true,

  async run(_input, context) {
    const stored = await context.results.list()
    if (stored.length === 0) return 'No results are stored.'
    const newestFirst = stored
      .toReversed()
      .map(({ id, label, lines }) => `${id}  ${label} (${plural(lines, 'line')})`)
    return toListText(newestFirst, 'older ones can be read by id', context)
  },
})
