/**
 * Which servers found on this machine may be used unasked. Anyone who can start a program can listen on 8080 and would
 * get every prompt, so a server is used only if its process belongs to this user, to root or to the system; others
 * after one yes, kept per user and port. What a person configured is never looked at here.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeAtomic } from '../lib/atomic-write.ts'
import type { ServerAddress } from './discovery.ts'
import { type Owner, ownersOf } from './listeners.ts'

const Allowed = z.array(
  z.strictObject({
    owner: z.union([z.int(), z.literal('unknown')]),
    port: z.int(),
    /** The person said no: not used, and not asked for again. */
    isRefused: z.literal(true).exactOptional(),
  }),
)
type Allowed = z.output<typeof Allowed>

export type ConsentParts = {
  readonly dataFolder: string
  readonly uid?: number | undefined
  readonly owners?: (port: number) => readonly Owner[]
  readonly now?: () => number
}

export type Consent = {
  /** Why it may not be used; nothing where it may. */
  problem(server: ServerAddress): string | undefined
  /** What to ask the person before it is used; nothing where it may be, or where they said no already. */
  question(server: ServerAddress): string | undefined
  /** Everyone who listens on the port now may be used from now on; tells whose processes these are. */
  allow(port: number): Promise<readonly Owner[]>
  /** None of them is asked for again. */
  refuse(port: number): Promise<readonly Owner[]>
}

/** Below this are users of the system, not people: Ollama's installer makes one, containers listen as root. */
const FIRST_PERSON = 1_000
/** One request asks for many arms; a process that takes over a port is noticed by the next. */
const FRESH_MS = 250

export function openConsent(parts: ConsentParts): Consent {
  const { dataFolder, uid = process.getuid?.(), owners = ownersOf, now = () => performance.now() } = parts
  const path = join(dataFolder, 'allowed-servers.json')
  const looks = new Map<number, { readonly at: number; readonly strangers: readonly Owner[] }>()
  const isKnown = (owner: Owner): boolean => owner !== 'unknown' && (owner === uid || owner < FIRST_PERSON)
  const look = (port: number): readonly Owner[] => {
    const last = looks.get(port)
    if (last && now() - last.at < FRESH_MS) return last.strangers
    const unknown = owners(port).filter((owner) => !isKnown(owner))
    const allowed = unknown.length > 0 ? load(path) : []
    const strangers = unknown.filter(
      (owner) => !allowed.some((one) => one.owner === owner && one.port === port && !one.isRefused),
    )
    looks.set(port, { at: now(), strangers })
    return strangers
  }
  const keep = async (port: number, answer: { readonly isRefused?: true }): Promise<readonly Owner[]> => {
    const strangers = owners(port).filter((owner) => !isKnown(owner))
    const kept = load(path).filter((one) => one.port !== port || !strangers.includes(one.owner))
    const added = strangers.map((owner) => ({ owner, port, ...answer }))
    await writeAtomic(path, `${JSON.stringify([...kept, ...added], null, 2)}\n`, { mode: 0o600 })
    looks.delete(port)
    return strangers
  }
  return {
    problem({ baseUrl, isUsual }) {
      const port = Number(new URL(baseUrl).port)
      const [stranger] = isUsual ? look(port) : []
      return stranger === undefined ? undefined : problemText(stranger, port)
    },
    question({ name, baseUrl, isUsual }) {
      const port = Number(new URL(baseUrl).port)
      const answered = load(path).filter((one) => one.port === port)
      const stranger = (isUsual ? look(port) : []).find(
        (owner) => !answered.some((one) => one.owner === owner),
      )
      return stranger === undefined ? undefined : questionText(name, stranger, port)
    },
    allow: (port) => keep(port, {}),
    refuse: (port) => keep(port, { isRefused: true }),
  }
}

const problemText = (owner: Owner, port: number): string =>
  `what listens on port ${port} belongs to ${ownerText(owner)} and would get every prompt; allow it once with ` +
  `\`covey providers allow ${port}\`, or name it under [router.servers]`

const questionText = (name: string, owner: Owner, port: number): string =>
  `What listens on port ${port} (${name}) belongs to ${ownerText(owner)} and would get every prompt. Use it from now on?`

export const ownerText = (owner: Owner): string =>
  owner === 'unknown' ? 'a user that cannot be found out' : `another user (uid ${owner})`

/** A file that cannot be read allows nothing. */
function load(path: string): Allowed {
  try {
    return Allowed.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return []
  }
}
