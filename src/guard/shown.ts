/** What is shown is what runs: characters that cannot be seen, or that turn the line around, are written out. */
export const shown = (text: string): string =>
  text.replaceAll(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

export const hasHidden = (text: string): boolean => text.search(HIDDEN) >= 0

/** Everything below space but tab and newline, DEL, C1, line separators, and what is drawn as nothing. */
const HIDDEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029]|\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}/gu
