/** An object whose values may be missing, as one that lacks them: what `exactOptionalPropertyTypes` wants. */
export type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

export const withoutUndefined = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Defined<T>
