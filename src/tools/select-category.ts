/** The first stage of two-stage mode: the model names a kind of work and is shown that kind's tools. */
import { z } from 'zod'
import { categories, defineTool, type Tool } from '../protocol/tool.ts'
import { leadsToTools, toSignature } from './signature.ts'

const choices = [...categories, 'answer'] as const

export const createSelectCategory = (list: () => readonly Tool[]): Tool =>
  defineTool({
    name: 'select_category',
    description: 'Choose what to do next',
    category: 'meta',
    input: z.object({ category: z.enum(choices) }),

    async run({ category }) {
      if (category === 'answer') return 'Answer the user now, without a tool.'
      const tools = list().filter((tool) => tool.category === category && !leadsToTools(tool))
      if (tools.length === 0) return `No tools in ${category}; choose another category, or answer.`
      return ['You can use:', ...tools.map(toSignature)].join('\n')
    },
  })
