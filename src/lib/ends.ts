/** What was begun, ended in the opposite order; one that fails keeps no other from its end. */
export class Ends {
  readonly #ends: (() => Promise<void>)[] = []

  add(end: () => Promise<void>): void {
    this.#ends.push(end)
  }

  /** Throws what failed first, when all have had their turn. */
  async run(): Promise<void> {
    const failures: unknown[] = []
    for (const end of this.#ends.splice(0).toReversed()) {
      await end().catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }
}
