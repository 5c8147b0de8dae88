import type { ClassNumber, Try } from '../try.ts'
import { denyTries } from './denies.ts'
import { grantTries } from './grants.ts'
import { homeTries } from './home.ts'
import { hostTries } from './host.ts'
import { laterTries } from './later.ts'
import { linkTries } from './links.ts'
import {
  freshGrantTries,
  freshHostTries,
  freshRepositoryTries,
  freshSecretTries,
  freshWalkTries,
} from './more/fresh.ts'
import { historyTries } from './more/history.ts'
import { freshRootTries } from './more/kernel.ts'
import { moreLaterTries } from './more/later.ts'
import { moreLinkTries } from './more/links.ts'
import { moreDenyTries, moreHomeTries, moreReadTries, moreTrustedTries } from './more/rest.ts'
import { readTries } from './reads.ts'
import { repositoryTries } from './repository.ts'
import { rootTries } from './root.ts'
import { secretTries } from './secrets.ts'
import { trustedTries } from './trusted.ts'
import { walkTries } from './walks.ts'

/** All tries by class; a name stands for one of them. */
export const allTries: readonly { readonly class: ClassNumber; readonly tries: readonly Try[] }[] = [
  { class: 1, tries: [...linkTries, ...moreLinkTries] },
  { class: 2, tries: [...homeTries, ...moreHomeTries] },
  { class: 3, tries: [...walkTries, ...freshWalkTries] },
  { class: 4, tries: [...laterTries, ...moreLaterTries] },
  { class: 5, tries: [...readTries, ...moreReadTries] },
  { class: 6, tries: [...denyTries, ...moreDenyTries, ...historyTries] },
  { class: 7, tries: [...trustedTries, ...moreTrustedTries] },
  { class: 8, tries: [...grantTries, ...freshGrantTries] },
  { class: 9, tries: [...rootTries, ...freshRootTries] },
  { class: 12, tries: [...repositoryTries, ...freshRepositoryTries] },
  { class: 13, tries: [...secretTries, ...freshSecretTries] },
  { class: 16, tries: [...hostTries, ...freshHostTries] },
]
