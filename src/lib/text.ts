/**
 * Text as people and models read it: lines, line ends, counting words, and the bytes of a terminal made plain. Everything
 * here is linear in the length of the text.
 */

export type LineEnd = '\n' | '\r\n'

/** What most lines of the text end with. */
export function lineEndOf(text: string): LineEnd {
  const windows = text.split('\r\n').length - 1
  const all = text.split('\n').length - 1
  return windows > all - windows ? '\r\n' : '\n'
}

export const withLineEnd = (text: string, end: LineEnd): string => text.replaceAll(/\r?\n/g, end)

/** The lines a person would count: a final line end does not start another one, and `\r` is no part of a line. */
export function toLines(text: string): string[] {
  if (text === '') return []
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The line an offset lies on, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Cut in the middle of nothing: whole code points, and an ellipsis that says something is gone. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

const ESCAPE_SEQUENCES =
  /\u001B\[[0-?]{0,64}[ -/]{0,8}[@-~]|\u001B[\]PX^_][^\u0007\u001B]{0,4096}(?:\u0007|\u001B\\)?|\u001B[ -/]{0,4}[0-~]|\u009B[0-?]{0,64}[@-~]/g
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFFFE\uFFFF]/g

/** What a terminal would leave on the screen: no escape sequences, no control bytes, overwritten progress lines gone. */
export const cleanOutput = (text: string): string =>
  text.replaceAll(ESCAPE_SEQUENCES, '').split('\n').map(lastWritten).join('\n').replaceAll(CONTROL, '')

function lastWritten(line: string): string {
  const written = line.replace(/\r+$/, '')
  return written.slice(written.lastIndexOf('\r') + 1)
}

/** Whether bytes are something no one reads: a NUL, or a file type that says so at its start. */
export const looksBinary = (bytes: Uint8Array): boolean =>
  bytes.subarray(0, 8192).includes(0) || MAGIC.some((magic) => magic.every((byte, at) => bytes[at] === byte))

/** %PDF, PNG, JPEG, GIF, zip, gzip: these may have no NUL in their first block. */
const MAGIC: readonly (readonly number[])[] = [
  [0x25, 0x50, 0x44, 0x46],
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
  [0x50, 0x4b, 0x03, 0x04],
  [0x1f, 0x8b],
]
