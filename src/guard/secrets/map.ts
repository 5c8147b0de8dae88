/**
 * Which placeholder stands for which secret of this session. A secret has one number wherever it turns up. What is
 * kept over a restart is where it was seen and a keyed hash; the value itself lives in memory only, and after a
 * restart it is found again in the file it came from.
 */
import { createHmac } from 'node:crypto'
import type { SecretInside, SecretRecord } from '../../protocol/firewall.ts'
import { newTag, toPlaceholder } from './placeholder.ts'
import type { Finding } from './finding.ts'
import { KnownValues } from './known.ts'
import { keptPiece } from './letters.ts'

export type SecretPlace = { readonly path: string; readonly offset: number }

export type Secret = {
  readonly number: number
  readonly kind: string
  readonly hash: string
  readonly length: number
  /** The files it was seen in, and where. */
  readonly places: Map<string, number>
  /** Tools a person gave it to for the whole session. */
  readonly tools: Set<string>
  readonly placeholder: string
  value?: string
}

export type SecretMapParts = {
  readonly key: Uint8Array
  readonly records?: readonly SecretRecord[]
  /** Called for everything worth keeping, before the placeholder is used. */
  keep?(record: SecretRecord): void
}

/** Beyond this a text is an attack on memory, and its secrets are no one's to restore. */
const MAX_SECRETS = 5000

export class SecretMap {
  readonly tag: string
  readonly #key: Uint8Array
  readonly #keep: (record: SecretRecord) => void
  readonly #byNumber = new Map<number, Secret>()
  readonly #byHash = new Map<string, Secret>()
  readonly #byValue = new Map<string, Secret>()
  readonly #values = new KnownValues()
  /** Lengths of recorded values that were not seen yet. */
  readonly #lostLengths = new Set<number>()

  constructor({ key, records = [], keep = () => {} }: SecretMapParts) {
    this.#key = key
    this.#keep = keep
    const start = records.find((record) => record.type === 'start')
    this.tag = start?.tag ?? newTag()
    if (!start) keep({ type: 'start', tag: this.tag })
    for (const record of records) if (record.type === 'secret') this.#load(record)
  }

  get(number: number): Secret | undefined {
    return this.#byNumber.get(number)
  }

  /** How many values are known. */
  get count(): number {
    return this.#byValue.size
  }

  /** Those whose value a file is known to hold and we do not. */
  lostIn(path: string): readonly Secret[] {
    return [...this.#byNumber.values()].filter(({ value, places }) => value === undefined && places.has(path))
  }

  /** What stands for this value; where it was seen is remembered. */
  placeholderFor(kind: string, value: string, place?: SecretPlace): string {
    const secret = this.#byValue.get(value) ?? this.#learn(kind, value)
    if (!secret) return toPlaceholder(this.tag, kind, 0)
    if (place && !secret.places.has(place.path)) this.#keepRecord(secret, place)
    if (place) secret.places.set(place.path, place.offset)
    return secret.placeholder
  }

  inside(secret: Secret): SecretInside {
    const [path] = secret.places.keys()
    return { kind: secret.kind, placeholder: secret.placeholder, ...(path !== undefined && { path }) }
  }

  /** The value, if the place it was last seen at still holds it. */
  recover(secret: Secret, place: SecretPlace, text: string): void {
    const candidate = text.slice(place.offset, place.offset + secret.length)
    if (secret.value === undefined && this.#hash(candidate) === secret.hash) {
      this.#remember(secret, keptPiece(candidate))
    }
  }

  /** Places where a value stands that is a secret already. */
  find(text: string): readonly Finding[] {
    return this.#values.find(text)
  }

  /** Where the end of the text may be the beginning of one. */
  mayBeginAt(text: string): number {
    return this.#values.mayBeginAt(text)
  }

  #learn(kind: string, value: string): Secret | undefined {
    const isFull = this.#byNumber.size >= MAX_SECRETS
    // A hash takes longer than all else about a secret: none where it can lead to nothing.
    if (isFull && !this.#lostLengths.has(value.length)) return undefined
    const hash = this.#hash(value)
    const known = this.#byHash.get(hash)
    if (!known && isFull) return undefined
    const secret = known ?? this.#add({ number: this.#byNumber.size + 1, kind, hash, length: value.length })
    if (!known) this.#keepRecord(secret)
    this.#remember(secret, keptPiece(value))
    return secret
  }

  #remember(secret: Secret, value: string): void {
    secret.value = value
    this.#byValue.set(value, secret)
    this.#values.add(secret.kind, value)
  }

  #add(secret: Pick<Secret, 'number' | 'kind' | 'hash' | 'length'>): Secret {
    const placeholder = toPlaceholder(this.tag, secret.kind, secret.number)
    const added = { ...secret, placeholder, places: new Map<string, number>(), tools: new Set<string>() }
    this.#byNumber.set(added.number, added)
    this.#byHash.set(added.hash, added)
    return added
  }

  #load({ number, kind, hash, length, path, offset = 0 }: SecretRecord & { type: 'secret' }): void {
    const secret = this.#byNumber.get(number) ?? this.#add({ number, kind, hash, length })
    this.#lostLengths.add(length)
    if (path !== undefined) secret.places.set(path, offset)
  }

  #keepRecord({ number, kind, hash, length }: Secret, place?: SecretPlace): void {
    this.#keep({ type: 'secret', number, kind, hash, length, ...place })
  }

  #hash(value: string): string {
    return createHmac('sha256', this.#key).update(value).digest('hex').slice(0, 32)
  }
}
