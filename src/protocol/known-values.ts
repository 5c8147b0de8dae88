/** What arguments may be, where the world says so and no schema can: paths that exist, ids that were given out. */

export type ValueSet = {
  readonly exact: readonly string[]
  /** Each with one new name behind it: what a folder may get. Empty = the root. */
  readonly folders?: readonly string[]
  /** Each with anything behind it: what is there but is not listed. */
  readonly open?: readonly string[]
  /** What these other sets hold as well. */
  readonly also?: readonly string[]
}

export type KnownValues = {
  readonly sets: Readonly<Record<string, ValueSet>>
  /** `tool.parameter` to the name of its set; what is not named here is as free as its schema. */
  readonly uses: Readonly<Record<string, string>>
}
