/** What a call does to one file, as a person reads it. */
export type FileDiff = {
  readonly path: string
  readonly kind: 'edited' | 'created' | 'removed'
  /** Lines. */
  readonly added: number
  readonly removed: number
  /** Hunks of a unified diff without the file headers, cut where it is long. */
  readonly text: string
  /** Lines of the diff that `text` leaves out. */
  readonly omitted: number
}
