/** How a model writes changes: files as a whole, a quote and its replacement, or ranges of lines. */
export const editForms = ['whole', 'search', 'lines'] as const
export type EditForm = (typeof editForms)[number]
