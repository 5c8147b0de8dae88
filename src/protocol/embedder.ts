/** Texts as vectors of equal length, in their order. Texts that mean the same lie close together. */
export type Embedder = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<readonly (readonly number[])[]>
