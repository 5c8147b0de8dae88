/** What a remembered fact can be; the schema, the tool and the help derive from it. */
export const factKinds = ['fact', 'preference', 'lesson', 'decision'] as const
export type FactKind = (typeof factKinds)[number]
