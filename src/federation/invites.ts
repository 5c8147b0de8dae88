/**
 * Invitations that are open. The secret itself is only in the code that was shown; the file keeps what is derived from
 * it, until ten minutes, five tries or one success. Tries are counted for each invitation: wrong guesses at one, or at
 * none, leave the others as they are.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { SECRET_BYTES } from './invite-code.ts'
import { openShelf } from './shelf.ts'

const inviteSchema = z.strictObject({
  /** Which invitation a proof is for; says nothing about the secret. */
  tag: z.string().regex(/^[0-9a-f]{16}$/),
  key: z.string().regex(/^[0-9a-f]{64}$/),
  until: z.number(),
  tries: z.int(),
})

/** Other keys, which earlier versions wrote, are dropped. */
const fileSchema = z.object({ version: z.literal(1), invites: z.array(inviteSchema).max(100) })

type Redeemed = 'ok' | 'unknown' | 'wrong'

export type Invites = {
  /** The secret, for the only time. */
  create(): Promise<Uint8Array>
  /** An invitation can be used once; of two who try at the same time one is late. */
  redeem(tag: string, prove: (key: Uint8Array) => boolean): Promise<Redeemed>
}

const LIFE_MS = 10 * 60_000
const TRIES = 5
const MAX_OPEN = 20

export function openInvites(path: string, now: () => number = Date.now): Invites {
  const shelf = openShelf({ path, schema: fileSchema, empty: { version: 1, invites: [] } })
  return {
    async create() {
      const secret = Uint8Array.from(randomBytes(SECRET_BYTES))
      const { tag, key } = fromSecret(secret)
      const invite = { tag, key: Buffer.from(key).toString('hex'), until: now() + LIFE_MS, tries: TRIES }
      await shelf.update((file) => [
        { ...file, invites: [...open(file.invites, now()), invite].slice(-MAX_OPEN) },
        undefined,
      ])
      return secret
    },
    async redeem(tag, prove) {
      const find = (invites: readonly Invite[]) => open(invites, now()).find((one) => one.tag === tag)
      // A guess at no invitation costs no lock and no write.
      if (!find((await shelf.read()).invites)) return 'unknown'
      return shelf.update<Redeemed>((file) => {
        const invite = find(file.invites)
        if (!invite) return [file, 'unknown']
        const others = file.invites.filter((one) => one.tag !== tag)
        if (prove(Buffer.from(invite.key, 'hex'))) return [{ ...file, invites: others }, 'ok']
        const left = invite.tries > 1 ? [{ ...invite, tries: invite.tries - 1 }] : []
        return [{ ...file, invites: [...others, ...left] }, 'wrong']
      })
    },
  }
}

type Invite = z.output<typeof inviteSchema>

/** Counted by this machine's own clock; one that was set back does not lengthen a life. */
const open = (invites: readonly Invite[], time: number): Invite[] =>
  invites.filter(({ until }) => until > time && until <= time + LIFE_MS)

/** What both sides have of the secret: a name for it, and a key to prove it with. */
export const fromSecret = (secret: Uint8Array): { readonly tag: string; readonly key: Uint8Array } => ({
  tag: digest('covey invitation', secret).toString('hex').slice(0, 16),
  key: Uint8Array.from(digest('covey pairing', secret)),
})

const digest = (label: string, secret: Uint8Array): Buffer =>
  createHash('sha256').update(label).update(secret).digest()

export const isSameProof = (given: string, expected: string): boolean =>
  given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
