/**
 * Boosted trees: each leaf adds to a score, and the score says how likely something is. For a few dozen numbers that matter together, such
 * as what two classifiers say and how sure each of them is; what depends on words is a `LinearModel`. Pure.
 */

/** A leaf is what it adds. A branch asks whether a feature is at least so large, and goes on below or above. */
export type Tree = number | readonly [feature: number, least: number, below: Tree, above: Tree]

export type TreeModel = {
  /** Features that are 1 where something is there by this name, in their order. */
  readonly names: readonly string[]
  readonly start: number
  readonly trees: readonly Tree[]
}

export const chanceOf = ({ start, trees }: TreeModel, features: readonly number[]): number =>
  1 / (1 + Math.exp(-trees.reduce<number>((sum, tree) => sum + leafOf(tree, features), start)))

function leafOf(tree: Tree, features: readonly number[]): number {
  let at = tree
  while (typeof at !== 'number') {
    const [feature, least, below, above] = at
    at = (features[feature] ?? 0) >= least ? above : below
  }
  return at
}
