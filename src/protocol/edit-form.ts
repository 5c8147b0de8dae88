import type { z } from 'zod'

/** How a model writes changes: files as a whole, a quote and its replacement, or ranges of lines. */
export const editForms = ['whole', 'search', 'lines'] as const
export type EditForm = (typeof editForms)[number]

/** What an arm that writes edits in another form sees; `hidden` = it is not offered the tool, but may call it. */
export type ToolFace = 'hidden' | { readonly description: string; readonly input: z.ZodType }
