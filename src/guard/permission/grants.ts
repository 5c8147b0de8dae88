/**
 * Protected paths a person opened for one call. A grant is spent by the act it was given for; one that is left over opens
 * nothing, because every call to a protected path is asked for anew.
 */
export type Operation = 'read' | 'write'

export interface Grants {
  give(real: string, operation: Operation): void
  /** To write is to read as well. */
  covers(real: string, operation: Operation): boolean
  spend(real: string, operation: Operation): void
}

export function createGrants(): Grants {
  const given = new Set<string>()
  const key = (real: string, operation: Operation): string => `${operation} ${real}`
  return {
    give: (real, operation) => void given.add(key(real, operation)),
    covers: (real, operation) =>
      given.has(key(real, 'write')) || (operation === 'read' && given.has(key(real, 'read'))),
    spend: (real, operation) => void given.delete(key(real, operation)),
  }
}
