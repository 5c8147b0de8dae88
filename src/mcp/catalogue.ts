import { isDeepStrictEqual } from 'node:util'
import { errorMessage } from '../protocol/error.ts'
import { type CacheKey, readCached, writeCached } from './cache.ts'
import type { ServerOffer } from './offer.ts'

/** What one server has, as far as is known: from last time, until it says so itself. */
export type Catalogue = {
  /** From last time. */
  readonly isKnown: boolean
  /** The same value as long as nothing changed. */
  offer(): ServerOffer
  take(offer: ServerOffer): void
  /** Once what was taken is on disk. */
  kept(): Promise<void>
}

const NOTHING: ServerOffer = { tools: [], prompts: [], hasResources: false }

/** Without a place nothing is kept. */
export async function openCatalogue(
  place: CacheKey | undefined,
  warn: (message: string) => void,
): Promise<Catalogue> {
  const cached = place && (await readCached(place))
  let known = cached
  let keeping: Promise<void> = Promise.resolve()
  return {
    isKnown: cached !== undefined,
    offer: () => known ?? NOTHING,
    take(offer) {
      if (isDeepStrictEqual(offer, known)) return
      known = offer
      if (place)
        keeping = keeping
          .then(() => writeCached(place, offer))
          .catch((error: unknown) => warn(errorMessage(error)))
    },
    kept: () => keeping,
  }
}
