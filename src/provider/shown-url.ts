import { maskUrls } from '../lib/mask-url.ts'

/** Without user, password and query: those may hold a key. */
export function shownUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  return parsed ? `${parsed.origin}${parsed.pathname}` : maskUrls(url)
}
