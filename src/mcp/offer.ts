import { z } from 'zod'
import { declaredToolSchema } from './declared.ts'
import { declaredPromptSchema } from './prompts.ts'

/** What a server has: its tools, its prompts, and whether there is something to read. */
export const serverOfferSchema = z.strictObject({
  tools: z.array(declaredToolSchema),
  prompts: z.array(declaredPromptSchema),
  hasResources: z.boolean(),
})
export type ServerOffer = z.output<typeof serverOfferSchema>
