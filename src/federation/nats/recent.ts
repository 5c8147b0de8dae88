/** The last so many of something: who adds more pushes out the oldest. */
export function createRecent(most: number) {
  const all = new Set<string>()
  return {
    has: (one: string) => all.has(one),
    add(one: string) {
      all.add(one)
      const [oldest] = all
      if (all.size > most && oldest !== undefined) all.delete(oldest)
    },
  }
}
