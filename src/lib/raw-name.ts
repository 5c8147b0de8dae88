/**
 * File names that are no text. Linux allows any bytes, and a name that UTF-8 cannot express would come back as another one
 * that does not exist. Here such a byte is kept as a lone surrogate, so that a path stays a string; it must become bytes
 * again before any system call.
 */

/** As text where it is text. */
export function fromRawName(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!text.includes('\uFFFD') || Buffer.from(text).equals(bytes)) return text
  return bytes
    .toString('latin1')
    .replaceAll(/[\u0080-\u00FF]/g, (letter) => String.fromCharCode(0xdc00 + letter.charCodeAt(0)))
}

const RAW = /[\uDC80-\uDCFF]/u

export const isRawName = (path: string): boolean => RAW.test(path)

/** For a system call. */
export const toRawBytes = (path: string): Buffer =>
  Buffer.concat(
    Array.from(path, (letter) =>
      RAW.test(letter) ? Buffer.from([letter.charCodeAt(0) - 0xdc00]) : Buffer.from(letter),
    ),
  )

/** The same in letters that everyone can type: `%FF` for a byte. */
export const spellRawName = (name: string): string =>
  name.replaceAll(
    new RegExp(RAW, 'gu'),
    (letter) => `%${(letter.charCodeAt(0) - 0xdc00).toString(16).toUpperCase()}`,
  )
