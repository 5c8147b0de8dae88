/** What was begun, ended in the opposite order. */
export class Ends {
  readonly #ends: (() => Promise<void>)[] = []

  add(end: () => Promise<void>): void {
    this.#ends.push(end)
  }

  async run(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) await end()
  }
}
