/** Text of models, tools, files and other machines, as it may be shown; and numbers and times in words. */

/** Characters that reorder or hide what stands beside them; they are shown instead. */
const HIDDEN =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]|\u{E0001}|[\u{E0020}-\u{E007F}]/gu

export const clean = (text: string): string =>
  text.replace(HIDDEN, (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}⟩`)

export const oneLine = (text: string): string => clean(text.replace(/\s+/g, ' ').trim())

export const thousands = (count: number): string =>
  count >= 1_000_000
    ? `${(count / 1_000_000).toFixed(1)}M`
    : count >= 10_000
      ? `${Math.round(count / 1000)}k`
      : count >= 1000
        ? `${(count / 1000).toFixed(1)}k`
        : String(Math.round(count))

export const seconds = (ms: number): string =>
  ms < 1000
    ? `${Math.round(ms)} ms`
    : ms < 60_000
      ? `${(ms / 1000).toFixed(1)} s`
      : `${Math.round(ms / 60_000)} min`

export const bytes = (count: number): string =>
  count >= 2 ** 30 ? `${(count / 2 ** 30).toFixed(1)} GiB` : `${Math.round(count / 2 ** 20)} MiB`

export const percent = (share: number): string => `${Math.round(share * 100)} %`

/** The time of today, the day of another one. */
export function when(at: number, now = Date.now()): string {
  const date = new Date(at)
  const isToday = new Date(now).toDateString() === date.toDateString()
  return isToday
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString([], { day: 'numeric', month: 'short' })
}

export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`
