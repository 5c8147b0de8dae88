/** What every init script is made from. All values are ours and hold no quote. */
export type InitParts = {
  /** Proves that a mark or a message comes from this script; never exported. */
  readonly key: string
  /** The pipe a widget writes to. */
  readonly request: string
  /** The pipe it reads the reply from. */
  readonly reply: string
  /** How this very program is started, quoted for the shell. */
  readonly covey: string
}

/** `@KEY@`, `@REQUEST@`, `@REPLY@` and `@COVEY@` in a script. */
export const fillIn = (script: string, { key, request, reply, covey }: InitParts): string =>
  script
    .replaceAll('@KEY@', key)
    .replaceAll('@REQUEST@', request)
    .replaceAll('@REPLY@', reply)
    .replaceAll('@COVEY@', () => covey)
