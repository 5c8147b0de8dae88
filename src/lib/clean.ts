/** No escape code of a model or a tool reaches the terminal: control characters are shown, not obeyed. */
export const cleanControl = (text: string): string =>
  text
    .replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replace(HIDDEN, '�')

/** Everything below space except tab and newline, DEL, and the C1 range. */
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g
/** Bidirectional overrides and zero-width characters hide what a line says. */
const HIDDEN = /[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g
