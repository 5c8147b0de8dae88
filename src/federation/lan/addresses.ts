/**
 * Where a paired machine may be. Addresses at which it has shown its key, and those a person configured, are tried first and are
 * never given up for others. Hints come last, and what anybody announces takes no room from what the machine says itself. Pure.
 */
export type KnownAddresses = {
  /** It has shown its key there; the latest first. */
  readonly proven: readonly string[]
  readonly configured: readonly string[]
}

/** `told`: by the machine itself, over a connection on which it showed its key. `announced`: by anybody, through mDNS. */
export type AddressSource = 'proven' | 'told' | 'announced'

export type Addresses = {
  add(address: string, from: AddressSource): void
  /** It has shown its key here. */
  met(address: string): void
  /** Groups to try one after the other: the last proven one alone, the other safe ones, then hints. No group is empty. */
  inOrder(): readonly (readonly string[])[]
}

/** The most that is kept of each source, the latest first. Configured ones all stay. */
const MOST: Readonly<Record<AddressSource, number>> = { proven: 8, told: 2, announced: 8 }

export function createAddresses({ proven, configured }: KnownAddresses): Addresses {
  const lists: Record<AddressSource, readonly string[]> = { proven, told: [], announced: [] }
  const put = (address: string, from: AddressSource): void => {
    lists[from] = [address, ...lists[from].filter((other) => other !== address)].slice(0, MOST[from])
  }
  return {
    add(address, from) {
      if (!lists[from].includes(address)) put(address, from)
    },
    met: (address) => put(address, 'proven'),
    inOrder() {
      const [last, ...others] = lists.proven
      const hints = [...lists.told, ...lists.announced]
      const groups = [last === undefined ? [] : [last], [...others, ...configured], hints]
      const seen = new Set<string>()
      return groups.flatMap((group) => {
        const fresh = group.filter((address) => !seen.has(address))
        for (const address of fresh) seen.add(address)
        return fresh.length === 0 ? [] : [[...new Set(fresh)]]
      })
    },
  }
}
