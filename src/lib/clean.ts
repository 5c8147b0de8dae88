/** No escape code of a model or a tool reaches the terminal: control characters are shown, not obeyed. */
export const cleanControl = (text: string): string =>
  text
    .replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replace(HIDDEN, '�')

/** A value for a program to read, on a terminal as well. */
export const jsonLine = (value: unknown, indent?: number): string =>
  `${cleanJson(JSON.stringify(value, undefined, indent))}\n`

/** The same JSON, with what it leaves as it is and a terminal would obey written as escapes. */
export const cleanJson = (json: string): string =>
  json.replace(
    /[\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Everything below space except tab and newline, DEL, and the C1 range. */
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g
/** Bidirectional controls, zero-width characters and other ends of lines hide what a line says. */
const HIDDEN = /[\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g
